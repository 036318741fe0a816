import { defineConfig } from "vite";

// The page as stagedoor.inspect serves it. All files have names that change with their content, and
// nothing is inlined, because the policy of the page allows neither scripts nor styles in markup.
export default defineConfig({
  build: {
    outDir: "../python/stagedoor/inspect/web",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 800,
  },
});
