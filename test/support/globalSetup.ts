import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { startPostgres } from "./PostgresServer.ts"

declare module "vitest" {
  export interface ProvidedContext {
    /** The superuser's address of the PostgreSQL server of this run. */
    readonly postgresUrl: string
    /** A folder that is gone after this run. */
    readonly runFolder: string
  }
}

export default async (project: TestProject): Promise<() => Promise<void>> => {
  const server = await startPostgres()
  project.provide("postgresUrl", server.url)
  const folder = await mkdtemp(join(tmpdir(), "almoner-run-"))
  project.provide("runFolder", folder)
  return async () => {
    await rm(folder, { recursive: true, force: true })
    await server.stop()
  }
}
