import { copyFile, symlink } from "node:fs/promises"
import { join } from "node:path"
import { type BuildOptions, build } from "esbuild"
import { root } from "../architecture/Checkout.ts"
import { oncePerRun } from "../support/OncePerRun.ts"

/** What finds its own files beside itself, or is seldom loaded. */
const external = ["@electric-sql/pglite", "undici", "nodemailer"]

/** CommonJS that is bundled asks for Node's modules. */
const banner = {
  js: 'import * as nodeModule from "node:module"\nconst require = nodeModule.createRequire(import.meta.url)'
}

/** Puts a module and what it imports into a few files, made once in a run; most of what a process takes is to load hundreds. */
export const bundleModule = async (
  name: string,
  entry: Pick<BuildOptions, "entryPoints" | "stdin">
): Promise<string> => {
  const folder = await oncePerRun(name, async (draft) => {
    await build({
      ...entry,
      outdir: join(draft, "dist"),
      entryNames: "main",
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "node",
      target: "node20",
      external,
      banner,
      logLevel: "error"
    })
    await copyFile(join(root, "package.json"), join(draft, "package.json"))
    await copyFile(join(root, "dist/build.json"), join(draft, "dist/build.json"))
    await symlink(join(root, "node_modules"), join(draft, "node_modules"))
  })
  return join(folder, "dist/main.js")
}

/** The built command. As it is built, it is run by `npm start` and in what the image holds. */
export const program = (): Promise<string> => bundleModule("program", { entryPoints: [join(root, "dist/main.js")] })
