import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { build } from "esbuild"
import { openApi } from "../../src/adapters/http/reference/OpenApi.ts"
import { Integrations } from "../../src/app/sharing/Integrations.ts"
import { runFolder } from "../support/RunFolder.ts"
import { type Service, startService } from "../support/Service.ts"
import { memory } from "../support/Stores.ts"
import { asOperator, makeTenant } from "../support/Tenant.ts"
import { scenarios } from "./GeneratedScenarios.ts"
import { compiled, compilerOptions, node, packageOf, withLibrary } from "./Generator.ts"

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
    folder = runFolder("generated")
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
    assert.strictEqual(await compiled(folder), "")
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
