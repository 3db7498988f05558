import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** Where the service serves the Studio: PATH in service/studio/endpoint.py. */
const BASE = "/studio/";
const SERVICE = process.env.REVERIE_URL ?? "http://127.0.0.1:8000";
const COMPRESSED = /\.(js|css|html|svg|json)$/;
const OUT = "dist";

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Writes `.gz` beside every text file, which the service sends as it is. */
function compressed(): Plugin {
  return {
    name: "compressed",
    apply: "build",
    closeBundle() {
      for (const entry of readdirSync(OUT, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile() || !COMPRESSED.test(entry.name)) continue;
        const file = join(entry.parentPath, entry.name);
        writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
      }
    },
  };
}

export default defineConfig({
  base: BASE,
  plugins: [react(), compressed()],
  resolve: {
    alias: [
      { find: /^@\//, replacement: `${source("./src")}/` },
      { find: /^@reverie\/client$/, replacement: source("../clients/typescript/src/index.ts") },
      { find: /^@reverie\/client\//, replacement: `${source("../clients/typescript/src")}/` },
    ],
  },
  build: {
    outDir: OUT,
    target: ["chrome123", "firefox120", "safari17.5"],
    // The policy of the page allows nothing inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    fs: { allow: [source("..")] },
    proxy: Object.fromEntries(
      ["/v1", "/studio/session", "/healthz", "/readyz", "/openapi.json"].map((path) => [path, { target: SERVICE }]),
    ),
  },
});
