import { readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { build } from "esbuild"

export const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..")

const isPackage = (name) => !name.startsWith(".") && !name.startsWith("/")

/**
 * A test file as one script that takes `require`, with the sources of `schemata` (by path from the root) in the place of
 * the real ones. Packages stay outside, so that they are loaded once for all mutants.
 */
export const bundleOf = async (testFile, schemata) => {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [testFile],
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node20",
    packages: "external",
    metafile: true,
    write: false,
    logLevel: "silent",
    plugins: [
      {
        name: "schemata",
        setup: ({ onLoad }) => {
          onLoad({ filter: /\.ts$/ }, ({ path }) => {
            const contents = schemata.get(relative(root, path).replaceAll("\\", "/")) ?? readFileSync(path, "utf8")
            // A script has no `import.meta`; what a file knows of its place stays what it is.
            const url = JSON.stringify(pathToFileURL(path).href)
            return { contents: contents.replaceAll("import.meta.url", url), loader: "ts" }
          })
        }
      }
    ]
  })
  const direct = metafile.inputs[testFile].imports.map(({ path }) => path)
  const packages = Object.values(metafile.outputs)
    .flatMap(({ imports }) => imports.map(({ path }) => path))
    .filter(isPackage)
  const inputs = Object.keys(metafile.inputs)
  return { testFile, text: outputFiles[0].text, packages: [...new Set(packages)], direct, inputs }
}
