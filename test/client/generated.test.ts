import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { build } from "esbuild"
import { openApi } from "../../src/adapters/http/OpenApi.ts"
import { Integrations } from "../../src/app/Integrations.ts"
import { root } from "../architecture/Checkout.ts"
import { type Service, startService } from "../support/Service.ts"
import { memory } from "../support/Stores.ts"
import { asOperator, makeTenant } from "../support/Tenant.ts"
import { scenarios } from "./GeneratedScenarios.ts"

const require = createRequire(import.meta.url)
const packageOf = (name: string): string => dirname(require.resolve(`${name}/package.json`))

const node = (parameters: ReadonlyArray<string>, cwd: string, env: Readonly<Record<string, string>> = {}) =>
  promisify(execFile)(process.execPath, parameters, { cwd, env: { ...process.env, ...env } })

/**
 * openapi-typescript prints types with the compiler's own library, which version 7 of the compiler does not have: it is given
 * the copy that swagger-typescript-api depends on.
 */
const withLibrary = (folder: string): string => {
  const library = createRequire(join(packageOf("swagger-typescript-api"), "package.json")).resolve("typescript")
  const hook = `export const resolve = (name, context, next) => name === "typescript"
  ? { url: ${JSON.stringify(pathToFileURL(library).href)}, format: "commonjs", shortCircuit: true }
  : next(name, context)`
  writeFileSync(join(folder, "hook.mjs"), hook)
  writeFileSync(
    join(folder, "register.mjs"),
    'import { register } from "node:module"\nregister("./hook.mjs", import.meta.url)\n'
  )
  return pathToFileURL(join(folder, "register.mjs")).href
}

const generators: { readonly [N in keyof typeof scenarios]: (folder: string) => ReadonlyArray<string> } = {
  "openapi-typescript": (folder) => [
    "--import",
    withLibrary(folder),
    join(packageOf("openapi-typescript"), "bin/cli.js"),
    "openapi.json",
    "--output",
    "openapi-typescript.ts"
  ],
  "swagger-typescript-api": () => [
    join(packageOf("swagger-typescript-api"), "dist/cli.mjs"),
    "generate",
    "--path=openapi.json",
    "--output=.",
    "--name=swagger-typescript-api.ts",
    "--enum-style=union",
    "--type-only-imports",
    "--silent"
  ]
}

const compilerOptions = {
  target: "es2023",
  lib: ["es2023", "dom", "dom.iterable"],
  module: "nodenext",
  moduleResolution: "nodenext",
  strict: true,
  skipLibCheck: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  types: ["node"],
  typeRoots: [join(root, "node_modules/@types")]
}

const expected = {
  gift: "CONFIRMED",
  refunded: 2_000,
  left: [3_000],
  set: 700,
  introductions: [[true, "PENDING"]],
  missing: "not_found"
}

describe("a client that another generator made of the OpenAPI document", () => {
  let folder: string
  let service: Service
  let port: number

  beforeAll(async () => {
    mkdirSync(join(root, ".cache"), { recursive: true })
    folder = mkdtempSync(join(root, ".cache", "generated-"))
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }')
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }))
    const document = openApi({ apiBaseUrl: "https://api.example.org", version: "1.2.3" })
    writeFileSync(join(folder, "openapi.json"), JSON.stringify(document))
    mkdirSync(join(folder, "node_modules"))
    symlinkSync(packageOf("openapi-fetch"), join(folder, "node_modules/openapi-fetch"))
    for (const [name, text] of Object.entries(scenarios)) writeFileSync(join(folder, `use-${name}.ts`), text)
    await Promise.all(Object.values(generators).map((parametersOf) => node(parametersOf(folder), folder)))
    service = await startService({ stores: memory })
    port = await service.listen()
  })
  afterAll(async () => {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it("compiles, whichever generator it is", async () => {
    const compiler = join(root, "node_modules/typescript/bin/tsc")
    const { stdout } = await node([compiler, "-p", ".", "--pretty", "false"], folder).catch(
      (failed: { readonly stdout: string }) => failed
    )
    assert.strictEqual(stdout, "")
  })

  for (const name of Object.keys(scenarios)) {
    it(`drives the service: ${name}`, async () => {
      const tenant = await makeTenant(service)
      const recipient = await makeTenant(service)
      const account = { label: "Main", processor_connect_account_id: "acct_1" }
      const { passphrase } = await service.run(
        Integrations.use((all) => all.create(account)).pipe(asOperator(recipient.organisation))
      )
      const program = join(folder, `${name}.mjs`)
      const entry = join(folder, `use-${name}.ts`)
      await build({ entryPoints: [entry], outfile: program, bundle: true, platform: "node", format: "esm" })
      const { stdout } = await node([program], folder, {
        API_KEY: tenant.writeKey.secret,
        BASE_URL: `http://127.0.0.1:${port}`,
        PASSPHRASE: passphrase
      })
      assert.deepStrictEqual(JSON.parse(stdout), expected)
    })
  }
})
