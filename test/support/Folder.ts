import { mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import { quickRoot } from "./QuickFolder.ts"

/** An empty folder that is gone with the scope. */
export const folder: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(quickRoot, "almoner-test-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
)
