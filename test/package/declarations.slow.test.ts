import { execFile } from "node:child_process"
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as domain from "../../src/domain.ts"
import { root } from "../architecture/Checkout.ts"
import { emptyPackage, install, npm, pack, removeFolder } from "./Tarball.ts"

/** A host that exports what it got, so that its own declarations have to name it. */
const host = `
import { Almoner, type Donor, type DonorId, type NewDonor, Rejection } from "almoner"
import { type Client, createClient } from "almoner/client"
import { memory } from "almoner/memory"

export const open = () => Almoner.open({ backend: memory(), keys: undefined, logger: undefined })
export const almoner = await open()
export const caller = await almoner.caller({ organisation: "riverside", user: "ada", scope: "WRITE" })
export const bound = almoner.as(caller)
export const donor = await almoner.donors.create(caller, { first_name: "Mary", email: undefined })
export const outcome = await bound.donors.create({ first_name: "Mary" }).outcome()
export const page = bound.donations.list({ donor_id: donor.id, status: { in: ["CONFIRMED"] }, limit: undefined })
`

const more = `
export const record = bound.donations.create
export const within = almoner.within
export const read = almoner.donors.read
export const nameOf = (each: Donor): string => each.last_name ?? each.id
export const input = (given: NewDonor) => ({ ...given, phone: undefined })
export const id: DonorId = "dnr_1"
export const isMissing = (failure: unknown) => failure instanceof Rejection.NotFound
export const client: Client = createClient({ baseUrl: "https://api.almoner.test", apiKey: "k", headers: undefined })
export const all = client.donations.all({ amount_cents: { gte: 5 }, limit: undefined })
export const donors = client.withOptions({ maxRetries: undefined }).donors

// @ts-expect-error the id of a gift where a donor's is asked for
export const mixed = (await page).data.map((gift) => almoner.donors.read(caller, gift.id))
`

/** The records of the domain that have a machine. */
const records = Object.entries(domain).flatMap(([name, record]) => ("machine" in record ? [name] : []))

const machines = `
import { ${records.join(", ")} } from "almoner/domain"
${records.map((name) => `export const of${name} = ${name}.machine`).join("\n")}
`

const client = `
import { createClient, type Donor, type NewDonation, signWebhook, verifyWebhook } from "almoner/client"

export const client = createClient({ baseUrl: "https://api.almoner.test", apiKey: "k" })
export const donor = await client.donors.create({ first_name: "Ada" })
export const give = (each: Donor, gift: NewDonation) => client.donations.create({ ...gift, donor_id: each.id })
export const event = await verifyWebhook({ body: "", headers: {}, secret: "s" })
export const amount: number = event.type === "donation.succeeded" ? event.data.amount_cents : 0
export const raw = await client.request<{ readonly made: boolean }>("GET", "/api/v2/things")
export const sign = (each: Donor) => signWebhook({ secret: "s", type: "donor.created", data: each })

// @ts-expect-error an unknown field
export const wrong = client.donors.create({ firstname: "Ada" })
`

const resolutions = {
  nodenext: { module: "nodenext", moduleResolution: "nodenext" },
  bundler: { module: "esnext", moduleResolution: "bundler" }
} as const

type Resolution = keyof typeof resolutions

const compilerOptions = {
  target: "es2022",
  lib: ["es2023", "dom", "dom.iterable", "esnext.disposable"],
  strict: true,
  exactOptionalPropertyTypes: true,
  declaration: true,
  composite: true,
  skipLibCheck: true,
  types: [],
  rootDir: ".",
  outDir: "out"
}

interface Manifest {
  readonly exports: Readonly<Record<string, unknown>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}

/** Compiles the programs of a folder by a compiler, and gives its complaints. */
const compiled = (folder: string, tsc: string, resolution: Resolution, options: object = {}): Promise<string> => {
  const settings = {
    compilerOptions: { ...compilerOptions, ...resolutions[resolution], ...options },
    include: ["*.ts"]
  }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings))
  rmSync(join(folder, "out"), { recursive: true, force: true })
  return new Promise((resolve) => {
    execFile(process.execPath, [tsc, "--pretty", "false"], { cwd: folder, maxBuffer: 2 ** 26 }, (_, stdout) =>
      resolve(stdout)
    )
  })
}

/** The oldest that effect's own declarations compile with, and the newest; each in both resolutions between them. */
const versions: ReadonlyArray<readonly [version: string, resolution: Resolution]> = [
  ["5.7.3", "nodenext"],
  ["6.0.2", "bundler"],
  ["7.0.2", "nodenext"]
]

/** The versions by which hosts check the declarations of their packages, too. */
const checking = ["5.9.3", "6.0.2", "7.0.2"]

describe("the package's declarations", () => {
  const [hosts, clients, compilers, complete] = [emptyPackage(), emptyPackage(), emptyPackage(), emptyPackage()]

  beforeAll(async () => {
    const { path } = await pack()
    await install(hosts, path)
    writeFileSync(join(hosts, "host.ts"), host + more)
    writeFileSync(join(hosts, "machines.ts"), machines)
    // The client alone: the package, and nothing that it asks for beside.
    mkdirSync(join(clients, "node_modules"))
    symlinkSync(join(hosts, "node_modules/almoner"), join(clients, "node_modules/almoner"))
    writeFileSync(join(clients, "client.ts"), client)
    // Every entry, beside all that they ask for.
    const { devDependencies, exports, peerDependencies }: Manifest = JSON.parse(
      readFileSync(join(root, "package.json"), "utf8")
    )
    const peers = ["@types/node", ...Object.keys(peerDependencies)].map((name) => `${name}@${devDependencies[name]}`)
    await install(complete, path, ...peers)
    const entries = Object.keys(exports).filter((entry) => entry !== "./package.json")
    const all = entries.map((entry, index) => `export * as e${index} from "${entry.replace(".", "almoner")}"`)
    writeFileSync(join(complete, "all.ts"), all.join("\n"))
  })
  afterAll(() => [hosts, clients, compilers, complete].forEach(removeFolder))

  /** The compiler of a version, from the registry where it is not this checkout's. */
  const compilerOf = async (version: string): Promise<string> => {
    const own = join(root, "node_modules/typescript")
    const manifest: { readonly version: string } = JSON.parse(readFileSync(join(own, "package.json"), "utf8"))
    if (manifest.version === version) return join(own, "bin/tsc")
    const name = `typescript-${version}`
    await npm(compilers, [
      "install",
      "--prefer-offline",
      "--no-audit",
      "--no-fund",
      `${name}@npm:typescript@${version}`
    ])
    return join(compilers, "node_modules", name, "bin/tsc")
  }

  it.each(versions)("TypeScript %s, %s: a host's own declarations can name all that it gets", async (version, by) => {
    const tsc = await compilerOf(version)
    assert.strictEqual(await compiled(hosts, tsc, by), "")
    assert.match(readFileSync(join(hosts, "out/host.d.ts"), "utf8"), /export declare const donor: .*\bDonor;/)
    const told = readFileSync(join(hosts, "out/machines.d.ts"), "utf8")
    assert.isAbove(records.length, 20)
    // A machine has a name there, and so in an editor, which would else show all of its commands and events.
    for (const name of records) assert.include(told, `export declare const of${name}: ${name}.machine;`)
  })

  it.each(versions)("TypeScript %s, %s: almoner/client needs no package for its types", async (version, by) => {
    const tsc = await compilerOf(version)
    // Every declaration that is reached is checked, too.
    assert.strictEqual(await compiled(clients, tsc, by, { skipLibCheck: false, preserveSymlinks: true }), "")
  })

  it.each(checking)("TypeScript %s: each declaration of each entry is right by itself", async (version) => {
    const options = { skipLibCheck: false, composite: false, declaration: false, noEmit: true, types: ["node"] }
    assert.strictEqual(await compiled(complete, await compilerOf(version), "nodenext", options), "")
  })
})
