import { mkdtemp, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { root } from "../architecture/Checkout.ts"
import { startPostgres } from "./PostgresServer.ts"

declare module "vitest" {
  export interface ProvidedContext {
    /** The superuser's address of the PostgreSQL server of this run. */
    readonly postgresUrl: string
    /** A folder in which packages and the build are found as in the checkout; it is gone after this run. */
    readonly runFolder: string
  }
}

export default async (project: TestProject): Promise<() => Promise<void>> => {
  const server = await startPostgres()
  project.provide("postgresUrl", server.url)
  const folder = await mkdtemp(join(tmpdir(), "almoner-run-"))
  for (const name of ["node_modules", "dist", "package.json"]) await symlink(join(root, name), join(folder, name))
  project.provide("runFolder", folder)
  return async () => {
    await rm(folder, { recursive: true, force: true })
    await server.stop()
  }
}
