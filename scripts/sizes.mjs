/** How large each entry of the package is for whoever bundles all of it: docs/sizes.md. */
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const { exports, peerDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
const peers = Object.keys(peerDependencies)

/** A runner of tests is never bundled, and what belongs to one machine cannot be. */
const never = ["vitest", "pg-native", "cloudflare:*"]

/** The compressed size of a module with all that it exports, KB; what it imports from `external` is left out. */
async function kilobytes(contents, external) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "node",
    target: "es2022",
    external,
    logLevel: "error",
    write: false
  })
  return gzipSync(outputFiles[0].text, { level: 9 }).byteLength / 1_000
}

/** The sizes that are kept, KB: test/client/bundle.test.ts fails beyond them. */
const bounds = { "almoner/client": "< 6", "almoner/values": "< 12" }

const parts = { centsOf: "values.js", Limits: "values.js", Refusals: "values.js" }

/** The modules that are measured: each entry, and the parts of `almoner/values`. */
const modules = [
  ...Object.entries(exports).flatMap(([entry, { default: path }]) =>
    path === undefined ? [] : [[join("almoner", entry), `export * from "${path}"`]]
  ),
  ...Object.entries(parts).map(([name, path]) => [
    `almoner/values: ${name}`,
    `export { ${name} } from "./dist/${path}"`
  ])
]

/** The sizes by their modules: with what they import from peers, and of this package and its dependencies alone. */
export const sizes = async () => {
  const found = []
  for (const [name, contents] of modules) {
    const [all, own] = [await kilobytes(contents, never), await kilobytes(contents, [...never, ...peers])]
    found.push({ name, all, own, bound: bounds[name] ?? "" })
  }
  return found
}

const printed = (size) => (size < 10 ? size.toFixed(1) : size.toFixed(0))

const row = ({ all, bound, name, own }) => `| \`${name}\` | ${printed(own)} | ${printed(all)} | ${bound} |`

/** docs/sizes.md: the sizes printed. */
export const sizesMarkdown = (found) => `# Sizes

All that an entry exports, minified by esbuild and compressed by gzip, in KB of 1,000 bytes: of this package alone, and with its peers. Whoever bundles what they use alone gets less. What is loaded on demand is counted. Written by \`npm run docs\`.

| Entry | Ours alone | With peers | Bound |
|---|---|---|---|
${found.map(row).join("\n")}

\`vitest\` is left out everywhere, and so is the database's own program of \`almoner/pglite\`, which stays a file beside the bundle. A bound is held by \`test/client/bundle.test.ts\`.
`
