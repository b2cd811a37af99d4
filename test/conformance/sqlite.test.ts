import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll } from "@effect/vitest"
import { root } from "../architecture/Checkout.ts"

// The example names the package as its users do: here, that is this checkout's build.
mkdirSync(join(root, ".cache"), { recursive: true })
const folder = mkdtempSync(join(root, ".cache", "sqlite-store-"))
cpSync(join(root, "examples/sqlite-store"), folder, { recursive: true })
mkdirSync(join(folder, "node_modules"), { recursive: true })
symlinkSync(root, join(folder, "node_modules", "almoner"), "dir")

await import(pathToFileURL(join(folder, "conformance.test.ts")).href)

afterAll(() => rmSync(folder, { recursive: true, force: true }))
