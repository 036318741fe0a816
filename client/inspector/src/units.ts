// Numbers as people read them.

export function bytes(count: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let size = count;
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${unit && size < 100 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`;
}

export function seconds(time: number): string {
  if (time < 1e-3) return `${Math.round(time * 1e6)} µs`;
  if (time < 1) return `${(time * 1e3).toPrecision(3)} ms`;
  if (time < 100) return `${time.toPrecision(3)} s`;
  if (time < 7200) return `${Math.round(time / 60)} min`;
  return time < 172800 ? `${Math.round(time / 3600)} h` : `${Math.round(time / 86400)} days`;
}

export function number(count: number): string {
  return count >= 100 ? Math.round(count).toLocaleString("en") : String(Number(count.toPrecision(3)));
}

export function percent(part: number, whole: number): string {
  return whole ? `${number((100 * part) / whole)} %` : "–";
}
