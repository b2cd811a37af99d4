import type { TestProject } from "vitest/node"
import { startPostgres } from "./PostgresServer.ts"

declare module "vitest" {
  export interface ProvidedContext {
    /** The superuser's address of the PostgreSQL server of this run. */
    readonly postgresUrl: string
  }
}

export default async (project: TestProject): Promise<() => Promise<void>> => {
  const server = await startPostgres()
  project.provide("postgresUrl", server.url)
  return server.stop
}
