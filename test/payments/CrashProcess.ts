import { appendFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { Effect, Layer, Redacted } from "effect"
import * as Client from "../../src/adapters/postgres/connection/Client.ts"
import * as EmbeddedDatabase from "../../src/adapters/postgres/embedded/EmbeddedDatabase.ts"
import * as PostgresStores from "../../src/adapters/postgres/Stores.ts"
import { type CrashService, startCrashService } from "./CrashService.ts"
import { type Address, makePlace, siteAt } from "./GivingSite.ts"
import { reportOf } from "./LifeReport.ts"
import { live } from "./LifeRun.ts"
import { lifeOf } from "./Lives.ts"
import { makePoints } from "./Points.ts"

// A process that lives gifts as it is told, one line of JSON at a time, and kills itself at a point.

/** What the process is told to do. */
export type Command =
  | { readonly do: "make"; readonly recipients: number }
  /** `until` is the point at which it kills itself, or how many points it passes; it lives the whole life where there is none. */
  | {
      readonly do: "live"
      readonly address: Address
      readonly life: string
      readonly n: number
      readonly until: string | number | null
    }
  | { readonly do: "report"; readonly address: Address; readonly gifts: ReadonlyArray<readonly [number, string]> }

const { CALLS: calls = "", DATABASE: database = "", FOLDER: data_dir = "", LOG: log = "" } = process.env

/** A migrated database: a server's, or the embedded one's folder, which it opens with the first command. */
const client =
  database === ""
    ? Layer.orDie(EmbeddedDatabase.layerExisting({ data_dir, durability: "synced" }))
    : Layer.orDie(Client.layerServer({ url: Redacted.make(database), max_connections: 4 }))

const points = makePoints()
points.onCall = (call, charge_id) => appendFileSync(calls, `${call} ${charge_id}\n`)

let opened: CrashService | undefined
const open = async (): Promise<CrashService> => {
  const stores = PostgresStores.layer.pipe(Layer.provide(client))
  opened ??= await startCrashService(stores, points, (line) => appendFileSync(log, `${line}\n`))
  return opened
}

const die = Effect.andThen(
  Effect.sync(() => process.kill(process.pid, "SIGKILL")),
  Effect.never
)

const perform = async (command: Command): Promise<unknown> => {
  const service = await open()
  switch (command.do) {
    case "make":
      return makePlace(service, command.recipients)
    case "live": {
      const { address, life, n, until } = command
      const place = await siteAt(service, address)
      let passed = 0
      points.at = (point) => {
        passed += 1
        return point === until || passed === until ? die : Effect.void
      }
      await live({ service, place, life: lifeOf(life), n })
      return passed
    }
    case "report":
      return reportOf(
        service,
        await siteAt(service, command.address),
        command.gifts.map(([n, name]) => [n, lifeOf(name)] as const)
      )
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await perform(JSON.parse(line)))}\n`)
}
await opened?.stop()
