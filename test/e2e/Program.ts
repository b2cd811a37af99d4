import { copyFile, symlink } from "node:fs/promises"
import { join } from "node:path"
import { build } from "esbuild"
import { root } from "../architecture/Checkout.ts"
import { oncePerRun } from "../support/OncePerRun.ts"

/** What finds its own files beside itself, or is seldom loaded. */
const external = ["@electric-sql/pglite", "undici", "nodemailer"]

/** CommonJS that is bundled asks for Node's modules. */
const banner = {
  js: 'import * as nodeModule from "node:module"\nconst require = nodeModule.createRequire(import.meta.url)'
}

const make = async (folder: string): Promise<void> => {
  await build({
    entryPoints: [join(root, "dist/main.js")],
    outdir: join(folder, "dist"),
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external,
    banner,
    logLevel: "error"
  })
  await copyFile(join(root, "package.json"), join(folder, "package.json"))
  await symlink(join(root, "node_modules"), join(folder, "node_modules"))
}

/**
 * The built command with its packages in a few files, made once in a run: most of what a command takes is to load hundreds
 * of modules. As it is built, it is run by `npm start` and in what the image holds.
 */
export const program = async (): Promise<string> => join(await oncePerRun("program", make), "dist/main.js")
