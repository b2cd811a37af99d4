import { Effect } from "effect"
import { AlmonerUnavailable } from "./AlmonerUnavailable.ts"

/** The options of a call that lists. */
export interface ListOptions {
  /** Ends the call, which fails with {@link AlmonerUnavailable}; its `cause` is the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

const aborted = (signal: AbortSignal): Effect.Effect<never, AlmonerUnavailable> =>
  Effect.callback((resume) => {
    const end = () =>
      resume(Effect.fail(new AlmonerUnavailable({ message: "The call was aborted.", cause: signal.reason })))
    if (signal.aborted) return end()
    signal.addEventListener("abort", end, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", end))
  })

/** An effect that ends when the signal of these options aborts. */
export const abortable = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  options: ListOptions | undefined
): Effect.Effect<A, E | AlmonerUnavailable, R> =>
  options?.signal === undefined ? effect : Effect.raceFirst(aborted(options.signal), effect)

interface Page {
  readonly data: ReadonlyArray<{ readonly id: string }>
  readonly has_more: boolean
}

/** All records of a list, page after page from its query on; each page is read when it is reached. */
export async function* allOf(
  list: (query: object) => Promise<unknown>,
  query: unknown
): AsyncGenerator<unknown, void, void> {
  let asked = Object(query ?? {})
  for (;;) {
    // The method's types were derived from a list's.
    const { data, has_more } = (await list(asked)) as Page
    yield* data
    const last = data.at(-1)
    if (!has_more || last === undefined) return
    asked = { ...asked, starting_after: last.id }
  }
}
