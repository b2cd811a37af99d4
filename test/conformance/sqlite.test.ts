import { cpSync, mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { root } from "../architecture/Checkout.ts"
import { runFolder } from "../support/RunFolder.ts"

// The example names the package as its users do: here, that is this checkout's build.
const folder = runFolder("sqlite-store")
cpSync(join(root, "examples/sqlite-store"), folder, { recursive: true })
mkdirSync(join(folder, "node_modules"), { recursive: true })
symlinkSync(root, join(folder, "node_modules", "almoner"), "dir")

await import(pathToFileURL(join(folder, "conformance.test.ts")).href)
