import { Almoner } from "almoner"
import { serve } from "almoner/http"
import { memory } from "almoner/memory"
import { pages } from "almoner/pages"

const open = async () => {
  const almoner = await Almoner.open({ backend: memory() })
  return { almoner, api: await serve(almoner, { pages }) }
}

// Next bundles routes and pages apart and evaluates this module once for each, and anew when a file changes: what was
// opened is kept by the process.
const kept: typeof globalThis & { almoner?: ReturnType<typeof open> } = globalThis

/**
 * The service and its API, one for the process, opened by the first who asks: `next build` loads routes and opens
 * nothing. In production the backend is `postgres({ url })` of `almoner/postgres`.
 */
export const service = (): ReturnType<typeof open> => {
  kept.almoner ??= open().catch((error: unknown) => {
    delete kept.almoner
    throw error
  })
  return kept.almoner
}
