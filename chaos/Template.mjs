/** A database that the service has migrated and made its demo in, from which each fault gets a copy of its own. */
import { rmSync } from "node:fs"
import { cp, mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { tenantOf } from "../harness/Tenants.mjs"
import { Process } from "./Process.mjs"

const templates = new WeakMap()
let databases = 0

async function make(postgres) {
  const name = "chaos_template"
  const url = await postgres.createDatabase(name)
  const folder = await mkdtemp(join(tmpdir(), "almoner-chaos-template-"))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  const first = await Process.make({ dataDir: folder, env: { DATABASE_URL: url } })
  const { sandbox } = await first.start()
  const tenant = await tenantOf(first.baseUrl, sandbox.write_key)
  await first.stop()
  return { name, folder, tenant }
}

/** A database with the demo in it: `{ url, drop, tenant, seed }`, where `seed(folder)` puts its demo.json there. */
export async function copyTemplate(postgres) {
  if (!templates.has(postgres)) templates.set(postgres, make(postgres))
  const { folder, name, tenant } = await templates.get(postgres)
  const copy = `chaos_${++databases}`
  return {
    url: await postgres.createDatabase(copy, name),
    drop: () => postgres.dropDatabase(copy),
    tenant,
    seed: (into) => cp(join(folder, "demo.json"), join(into, "demo.json"))
  }
}
