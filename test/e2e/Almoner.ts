import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { cp, readFile, writeFile } from "node:fs/promises"
import { createServer, type Server } from "node:net"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { root } from "../architecture/Checkout.ts"
import { folder } from "../support/Folder.ts"
import { nodeFlags } from "../support/NodeFlags.ts"
import { numbers } from "../support/Numbers.ts"
import { oncePerRun } from "../support/OncePerRun.ts"
import { program } from "./Program.ts"

type Environment = Readonly<Record<string, string>>

/** Only what the test gives: the settings of whoever runs it must not change it. */
const environment = (given: Environment): Environment => ({ PATH: process.env["PATH"] ?? "", ...given })

export interface ProcessEnd {
  /** Null when a signal ended it. */
  readonly status: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** The built command as a process. */
export interface RunningProcess {
  readonly pid: number
  readonly stdout: () => string
  readonly kill: (signal: NodeJS.Signals) => void
  readonly ended: Promise<ProcessEnd>
}

/** How a process is run. */
interface Allowed {
  /** Files and sockets that it may have open at once. */
  readonly descriptors?: number
  /** Whether it has the memory that `npm start` gives it, in place of what is quick in tests. */
  readonly isProduct?: boolean
}

/** How `npm start` runs node. */
const productFlags = (): ReadonlyArray<string> =>
  /node (.*) dist/.exec(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts.start)?.[1]?.split(" ") ??
  []

export const start = async (
  args: ReadonlyArray<string>,
  given: Environment,
  { descriptors, isProduct = false }: Allowed = {}
): Promise<RunningProcess> => {
  const flags = isProduct ? productFlags() : nodeFlags
  const command = [process.execPath, ...flags, await program(), ...args]
  const [file = "", ...rest] =
    descriptors === undefined ? command : ["/bin/sh", "-c", `ulimit -n ${descriptors} && exec "$0" "$@"`, ...command]
  const child = spawn(file, rest, {
    env: environment(given),
    stdio: ["ignore", "pipe", "pipe"]
  })
  let stdout = ""
  let stderr = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text
  })
  const ended = new Promise<ProcessEnd>((resolve) =>
    child.once("close", (status, signal) => resolve({ status, signal, stdout, stderr }))
  )
  return { pid: child.pid ?? 0, stdout: () => stdout, kill: (signal) => void child.kill(signal), ended }
}

/** Runs the command to its end. */
export const run = (args: ReadonlyArray<string>, given: Environment): Effect.Effect<ProcessEnd> =>
  Effect.promise(async () => (await start(args, given)).ended)

/** What commands of an organisation print as JSON; each has to succeed. */
export const commandsOf = (organisation: string, given: Environment) =>
  Effect.fnUntraced(function* (...words: ReadonlyArray<string>) {
    const { status, stderr, stdout } = yield* run([...words, "--organisation", organisation, "--json"], given)
    assert.strictEqual(status, 0, stderr)
    return JSON.parse(stdout)
  })

const killed = (process: RunningProcess): Effect.Effect<void> =>
  Effect.promise(async () => {
    process.kill("SIGKILL")
    await process.ended
  })

/** Serves from the scope's start to its end, or until it is stopped before; dies when the process does not come up. */
export const serve = (given: Environment, allowed: Allowed = {}): Effect.Effect<RunningProcess, never, Scope.Scope> =>
  Effect.gen(function* () {
    const server = yield* Effect.acquireRelease(
      Effect.promise(() => start(["serve"], given, allowed)),
      killed
    )
    let ended: ProcessEnd | undefined
    server.ended.then((how) => {
      ended = how
    })
    while (!server.stdout().includes("Almoner listens on ")) {
      if (ended !== undefined) return yield* Effect.die(new Error(`The server did not start: ${JSON.stringify(ended)}`))
      yield* Effect.sleep(20)
    }
    return server
  })

/** Settings without a limit of requests. */
export const noLimits = { RATE_LIMIT_PER_SECOND: "100000", RATE_LIMIT_BURST: "100000" }

/** Asks a server to stop, which it has to do well; answers what it said. */
export const stop = Effect.fnUntraced(function* (server: RunningProcess, signal: "SIGTERM" | "SIGINT" = "SIGTERM") {
  server.kill(signal)
  const ended = yield* Effect.promise(() => server.ended)
  assert.strictEqual(ended.status, 0, ended.stderr)
  return ended
})

/** A file with a text, which is gone with the scope. */
export const fileOf = Effect.fnUntraced(function* (text: string) {
  const path = join(yield* folder, "text")
  yield* Effect.promise(() => writeFile(path, text))
  return path
})

/** A gift of each month, through the form `appeal`. */
export const giveMonthly = Effect.fnUntraced(function* (json: ReturnType<typeof commandsOf>) {
  return yield* json(
    ...["checkout", "submit", "--form", "appeal", "--amount-cents", "5000", "--method", "card"],
    ...["--frequency", "MONTHLY", "--email", "ada@example.org"],
    ...["--payment-token-file", yield* fileOf(`${numbers.succeeds}\n`)]
  )
})

const listen = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      if (typeof address === "object" && address !== null) resolve(address.port)
      else reject(new Error("no port"))
    })
  })

const makePrepared = async (template: string): Promise<void> => {
  const migrating = await start(["migrate"], { DATA_DIR: template, EMBEDDED_DURABILITY: "relaxed" })
  const { status, stderr } = await migrating.ended
  if (status !== 0) throw new Error(stderr)
}

/**
 * A folder with a migrated and otherwise empty embedded database, copied from one that is made once in a run: to initialise
 * a database takes seconds.
 */
export const preparedFolder: Effect.Effect<string, never, Scope.Scope> = Effect.gen(function* () {
  const copy = join(yield* folder, "data")
  yield* Effect.promise(async () => {
    const template = await oncePerRun("prepared-data", makePrepared)
    await cp(template, copy, { recursive: true, filter: (path) => !path.endsWith("/run") })
  })
  return copy
})

/** A port on which nothing listens. */
export const freePort: Effect.Effect<number> = Effect.promise(async () => {
  const server = createServer()
  const port = await listen(server)
  await new Promise((resolve) => server.close(resolve))
  return port
})

/** A port on which something else listens. */
export const takenPort: Effect.Effect<number, never, Scope.Scope> = Effect.gen(function* () {
  const server = yield* Effect.acquireRelease(
    Effect.sync(() => createServer()),
    (open) => Effect.callback<void>((resume) => void open.close(() => resume(Effect.void)))
  )
  return yield* Effect.promise(() => listen(server))
})

/** The content of `demo.json`. */
export interface DemoKeys {
  readonly base_url: string
  readonly live: { readonly organisation_id: string; readonly write_key: string; readonly read_key: string }
  readonly sandbox: { readonly organisation_id: string; readonly write_key: string; readonly read_key: string }
}

export const demoKeys = (data_dir: string): Effect.Effect<DemoKeys> =>
  Effect.promise(async () => JSON.parse(await readFile(join(data_dir, "demo.json"), "utf8")))

/**
 * Asks the API; answers the status and the body. The connection is of this call alone: one that is kept may be ended by the
 * server while it is idle.
 */
export const ask = (base_url: string, path: string, key: string, body?: unknown) =>
  Effect.promise(async () => {
    const answer = await fetch(`${base_url}/api/v1${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${key}`, connection: "close", "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const read: { readonly [field: string]: unknown } = Object(await answer.json())
    return { status: answer.status, body: read }
  })
