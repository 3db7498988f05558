import { writeFileSync } from "node:fs";

const dist = new URL("../dist/", import.meta.url);
// Node reads the files below dist/cjs as CommonJS only if a package.json there says so.
writeFileSync(new URL("cjs/package.json", dist), '{ "type": "commonjs" }\n');
// The types of the API are most of the package; both builds share those of one.
writeFileSync(new URL("esm/openapi.d.ts", dist), 'export type * from "../cjs/openapi.js";\n');
