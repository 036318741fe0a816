// The rows of the tree, of which only those are known that have been seen, and of these the last
// few thousand: a prim may have a million children.

export interface Row {
  path: string;
  type?: string;
  kind?: string;
  specifier?: string;
  flags?: string[];
  children: number | null; // null: too many to count
  variants?: [string, string][];
  prototype?: string;
  invisible?: boolean;
  message?: string; // why nothing else is known
}

export interface Page {
  snapshot: string;
  total: number;
  rows: Row[];
}

const MAX_KNOWN = 4000; // children of a prim that are not open

// A prim in the tree. `span` is the number of rows that it takes with those below it.
export class Node {
  row: Row | null = null;
  open = false;
  total: number | null = null; // of the children; null if unknown
  span = 1;
  private readonly children = new Map<number, Node>();
  private opened: number[] = []; // the indexes of children that take more than a row, ascending

  constructor(
    readonly parent: Node | null,
    public index: number, // among its siblings
    readonly depth: number,
    public path: string,
  ) {}

  get name(): string {
    return this.path === "/" ? "/" : this.path.slice(this.path.lastIndexOf("/") + 1);
  }

  get canOpen(): boolean {
    const known = this.total ?? this.row?.children;
    return known === null || known === undefined ? this.row !== null : known > 0;
  }

  child(index: number): Node | undefined {
    return this.children.get(index);
  }

  known(): IterableIterator<Node> {
    return this.children.values();
  }

  // Takes note of a page of children. Of those that are known already, the farthest are forgotten
  // when they become too many, but not the one that is selected.
  fill(offset: number, page: Page, selected = ""): void {
    this.setTotal(page.total);
    this.forgetFarFrom(offset, selected);
    page.rows.forEach((row, i) => {
      const child = this.at(offset + i, row.path);
      child.row = row;
      if (row.children !== null && child.total !== row.children) child.setTotal(row.children);
    });
  }

  // The child at an index, which has this path.
  at(index: number, path: string): Node {
    let found = this.children.get(index);
    if (!found || found.path !== path) {
      if (found) this.forget(index);
      found = new Node(this, index, this.depth + 1, path);
      this.children.set(index, found);
      this.measure();
    }
    return found;
  }

  setTotal(total: number): void {
    if (this.total === total) return;
    // Children may have moved if there are more or fewer of them.
    if (this.total !== null) for (const index of [...this.children.keys()]) this.forget(index);
    this.total = total;
    this.measure();
  }

  setOpen(open: boolean): void {
    if (this.open === open) return;
    this.open = open;
    this.measure();
  }

  // The node in the row `at` rows below this one; undefined if it is not known yet, with where to
  // ask for it.
  find(at: number): { node?: Node; parent: Node; index: number } {
    if (at === 0) return { node: this, parent: this.parent ?? this, index: this.index };
    let left = at - 1;
    let next = 0; // the index of the child in the row that is `left` rows ahead
    for (const index of this.opened) {
      const child = this.children.get(index)!;
      if (left < index - next) break;
      left -= index - next;
      if (left < child.span) return child.find(left);
      left -= child.span;
      next = index + 1;
    }
    const node = this.children.get(next + left);
    return { ...(node ? { node } : {}), parent: this, index: next + left };
  }

  // The row of this node in the whole tree.
  rowNumber(): number {
    if (!this.parent) return 0;
    let at = this.parent.rowNumber() + 1 + this.index;
    for (const index of this.parent.opened) {
      if (index >= this.index) break;
      at += this.parent.children.get(index)!.span - 1;
    }
    return at;
  }

  private forgetFarFrom(offset: number, selected: string): void {
    if (this.children.size - this.opened.length <= MAX_KNOWN) return;
    for (const [index, child] of this.children) {
      const near = Math.abs(index - offset) <= MAX_KNOWN / 4;
      if (!near && child.span === 1 && child.path !== selected) this.children.delete(index);
    }
  }

  private forget(index: number): void {
    this.children.delete(index);
    const place = this.opened.indexOf(index);
    if (place >= 0) this.opened.splice(place, 1);
  }

  private measure(): void {
    let span = 1;
    if (this.open && this.total !== null) {
      span += this.total;
      for (const index of this.opened) span += this.children.get(index)!.span - 1;
    }
    if (span === this.span) return;
    this.span = span;
    this.parent?.childMeasured(this);
  }

  private childMeasured(child: Node): void {
    const place = this.opened.findIndex((index) => index >= child.index);
    const listed = place >= 0 && this.opened[place] === child.index;
    if (child.span > 1 && !listed) {
      this.opened.splice(place < 0 ? this.opened.length : place, 0, child.index);
    } else if (child.span === 1 && listed) {
      this.opened.splice(place, 1);
    }
    this.measure();
  }
}

// The nodes that are open, from the top down.
export function openNodes(root: Node): Node[] {
  const found: Node[] = [];
  const walk = (node: Node): void => {
    if (!node.open) return;
    found.push(node);
    for (const child of node.known()) walk(child);
  };
  walk(root);
  return found;
}
