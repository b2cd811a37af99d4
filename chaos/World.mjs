/** Processes of the service on one database, with receivers, callers and a ledger: what a fault is inflicted on. */
import { mkdir, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import { seconds } from "../harness/Program.mjs"
import { giftEvents, post } from "../harness/Requests.mjs"
import { createTenant, tenantOf } from "../harness/Tenants.mjs"
import { giveAtOnce, startGifts } from "./Gifts.mjs"
import { Ledger } from "./Ledger.mjs"
import { Process } from "./Process.mjs"
import { openReceiver } from "./Receiver.mjs"
import { copyTemplate } from "./Template.mjs"

const unlimited = { RATE_LIMIT_PER_SECOND: "1000000", RATE_LIMIT_BURST: "1000000" }

/** Requests that a delivery has had before it may be given up. */
const attempts = 6

let turn = Promise.resolve()

/** One after the other, over all worlds: starts at the same time would only slow each other down. */
function inTurn(start) {
  const started = turn.then(start)
  turn = started.catch(() => {})
  return started
}

class World {
  ledger = new Ledger()
  tenants = []
  /** Ids of deliveries of which nothing is promised. */
  planted = new Set()
  #closers = []

  constructor(database, processes) {
    this.database = database
    this.processes = processes
  }

  /** Something to do at the end, the last one first. */
  onClose(close) {
    this.#closers.push(close)
  }

  get #baseUrls() {
    return this.processes.map(({ baseUrl }) => baseUrl)
  }

  get baseUrl() {
    return this.processes[0].baseUrl
  }

  /** Opens receivers, as `openReceiver` does, for as long as the world is open. */
  async openReceiver(options) {
    const receiver = await openReceiver(this.ledger, options)
    this.onClose(() => receiver.close())
    return receiver
  }

  /** Subscribes endpoints of a tenant; those with a name are in the ledger under it. */
  async subscribe(tenant, urls, types = giftEvents) {
    for (const [name, url] of Object.entries(urls)) {
      const { id } = await post(this.baseUrl, "/api/v1/webhook-endpoints", tenant.headers, { url, event_types: types })
      tenant.endpointIds.push(id)
      if (types === giftEvents) tenant.endpoints.push(name)
    }
  }

  /** Subscribes endpoints that nothing is expected of. */
  async subscribeUncounted(tenant, urls) {
    for (const url of urls) {
      await post(this.baseUrl, "/api/v1/webhook-endpoints", tenant.headers, { url, event_types: giftEvents })
    }
  }

  /** The tenant of the template, known to this world. */
  adopt(tenant) {
    const adopted = { ...tenant, endpoints: [], endpointIds: [] }
    this.tenants.push(adopted)
    return adopted
  }

  /** Makes another organisation by the command line, and gives its sandbox. */
  async addTenant(slug) {
    return this.adopt(await createTenant({ baseUrl: this.baseUrl, databaseUrl: this.database.url, slug }))
  }

  startGifts(perSecond, tenant = this.tenants[0]) {
    return startGifts({ baseUrls: this.#baseUrls, ledger: this.ledger, perSecond, tenant })
  }

  /** Records so many gifts as fast as they are answered. */
  give(count, tenant = this.tenants[0]) {
    return giveAtOnce({ baseUrls: this.#baseUrls, count, ledger: this.ledger, tenant })
  }

  /** A statement in the service's database. */
  async query(text, values) {
    const client = new pg.Client({ connectionString: this.database.url })
    await client.connect()
    try {
      return (await client.query(text, values)).rows
    } finally {
      await client.end()
    }
  }

  /** Deliveries with a status, of a tenant's endpoint or of all of them, as the API lists them; 100 at most. */
  async deliveries({ headers }, status, endpointId) {
    const filter = endpointId === undefined ? "" : `&endpoint_id=${endpointId}`
    for (const { baseUrl } of this.processes) {
      try {
        const path = `/api/v1/webhook-deliveries?limit=100&status=${status}${filter}`
        const answer = await fetch(`${baseUrl}${path}`, { headers, signal: AbortSignal.timeout(5_000) })
        if (answer.ok) return (await answer.json()).data
      } catch {
        // Another process may answer.
      }
    }
    return null
  }

  /** Nothing is pending, so that nothing will come any more. */
  async #isQuiet() {
    for (const tenant of this.tenants) {
      for (const id of tenant.endpointIds) {
        const pending = await this.deliveries(tenant, "PENDING", id)
        if (pending === null || pending.length > 0) return false
      }
    }
    return true
  }

  /** Waits until all that was committed has ended, one way or another, for `limitSeconds` at most. */
  async settle(limitSeconds) {
    const deadline = performance.now() + limitSeconds * 1_000
    while (performance.now() < deadline) {
      if (await this.#isQuiet()) break
      await seconds(0.25)
    }
    await seconds(1)
  }

  /** Deliveries that were given up before six requests of theirs had come that no crash cut short. */
  async failedEarly(losses) {
    let count = 0
    for (const tenant of this.tenants) {
      for (const { id } of (await this.deliveries(tenant, "FAILED")) ?? []) {
        if (!this.planted.has(id) && this.ledger.requests(id, losses) < attempts) count++
      }
    }
    return count
  }

  /** How what came again without a crash had ended for its sender, so that whoever reads the table can tell why. */
  async #whyDoubled(losses, wakes) {
    const doubles = this.ledger.doubles(losses, wakes)
    if (doubles.length === 0 || this.database === null) return []
    const gaps = doubles.map(({ after }) => after / 1_000)
    const unrecorded = this.processes.reduce((sum, { log }) => sum + log.split("cannot be recorded").length - 1, 0)
    const ended = await this.query(
      `SELECT coalesce(error, 'status ' || response_status) AS how, count(*)::int AS count FROM delivery_attempts
       WHERE delivery_id = ANY($1) GROUP BY 1 ORDER BY 2 DESC, 1`,
      [doubles.map(({ accepted }) => accepted.id)]
    )
    return [
      `what came again did so ${Math.min(...gaps).toFixed(1)} to ${Math.max(...gaps).toFixed(1)} s later; ` +
        `attempts on record: ${ended.map(({ count, how }) => `${count} ${how}`).join(", ")}; ` +
        `outcomes that workers say could not be recorded: ${unrecorded}`
    ]
  }

  /** What came of it all. `endedAt` is when the fault was over, `losses` when processes were lost, `wakes` when they went on. */
  async report({ broken = [], endedAt, losses = [], notes = [], wakes = [] }) {
    const ofWakes = this.ledger.doubles(losses).length - this.ledger.doubles(losses, wakes).length
    const woke = ofWakes > 0 ? [`${ofWakes} came again from a process that woke amid writing it`] : []
    return {
      ...this.ledger.count(losses, wakes),
      failedEarly: await this.failedEarly(losses),
      recoverySeconds: endedAt === undefined ? undefined : this.ledger.recovery(endedAt),
      notes: [...notes, ...woke, ...(await this.#whyDoubled(losses, wakes))],
      broken: [...broken, ...this.processes.flatMap(({ ends }, index) => ends.map((end) => `process ${index} ${end}`))]
    }
  }

  async close() {
    for (const close of this.#closers.toReversed()) await close()
  }
}

/**
 * Opens a world of `count` processes on a copy of the template's database. `env(index)` is more environment of a
 * process, `databaseUrl(url, index)` the address that it gets the database at, `wrap` as `spawnServer` has it.
 */
export async function openWorld(
  { postgres, processes },
  { count = processes, databaseUrl = (url) => url, env = () => ({}), wrap } = {}
) {
  const database = await copyTemplate(postgres)
  const folder = await mkdtemp(join(tmpdir(), "almoner-chaos-"))
  const made = []
  for (let index = 0; index < count; index++) {
    const dataDir = join(folder, String(index))
    await mkdir(dataDir)
    await database.seed(dataDir)
    const settings = {
      DATABASE_URL: await databaseUrl(database.url, index),
      WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8",
      LOG_LEVEL: "Warn",
      ...unlimited,
      ...(await env(index))
    }
    made.push(await Process.make({ dataDir, env: settings, ...(wrap === undefined ? {} : { wrap }) }))
  }
  const world = new World(database, made)
  world.onClose(async () => {
    await Promise.all(made.map((each) => each.destroy()))
    await database.drop()
    await rm(folder, { recursive: true, force: true })
  })
  try {
    for (const each of made) await inTurn(() => each.start())
  } catch (error) {
    await world.close()
    throw error
  }
  world.adopt(database.tenant)
  return world
}

/** A world of one process on the embedded database. */
export async function openEmbeddedWorld() {
  const folder = await mkdtemp(join(tmpdir(), "almoner-chaos-"))
  const only = await Process.make({ dataDir: folder, env: { LOG_LEVEL: "Warn", ...unlimited } })
  const world = new World(null, [only])
  world.onClose(async () => {
    await only.destroy()
    await rm(folder, { recursive: true, force: true })
  })
  try {
    const { sandbox } = await inTurn(() => only.start())
    world.adopt(await tenantOf(only.baseUrl, sandbox.write_key))
  } catch (error) {
    await world.close()
    throw error
  }
  return world
}
