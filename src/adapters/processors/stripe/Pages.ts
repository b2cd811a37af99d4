import { Effect, type Schema } from "effect"
import type { Stripe } from "stripe"
import { unreachable } from "./Failures.ts"
import { pageOf } from "./Objects.ts"
import type { StripeApi } from "./StripeApi.ts"

/** Objects on a page of a list, the most that Stripe answers. */
export const pageSize = 100

/** Pages of one list that are looked through: of what hangs on one charge, and of the intents of an hour, there are fewer. */
const pagesAtMost = 100

/** Where a page of a list begins. */
type Page = Readonly<Pick<Stripe.PaginationParams, "limit" | "starting_after">>

type List = (client: Stripe, page: Page) => Promise<unknown>

interface Named {
  readonly id: string
}

/** The page after an object; the first one after none. */
export const pageAfter = (after: string | null): Page => ({
  limit: pageSize,
  ...(after === null ? {} : { starting_after: after })
})

/** The object after which the next page begins; null after the last. */
export const nextOf = ({ data, has_more }: { readonly data: ReadonlyArray<Named>; readonly has_more: boolean }) =>
  has_more ? (data.at(-1)?.id ?? null) : null

/** Reads pages, the newest objects first, until one is enough. A list that does not end says nothing of what is on it. */
const read = Effect.fnUntraced(function* <A extends Named>(
  api: StripeApi,
  item: Schema.Codec<A, unknown>,
  list: List,
  isEnough: (objects: ReadonlyArray<A>) => boolean
) {
  let after: string | null = null
  for (let count = 0; count < pagesAtMost; count += 1) {
    const page = yield* api.call(pageOf(item), (client) => list(client, pageAfter(after)))
    if (isEnough(page.data) || !page.has_more) return
    after = nextOf(page)
  }
  return yield* unreachable("too_many_pages")
})

/** All objects of a list, the oldest first. */
export const allOf = <A extends Named>(api: StripeApi, item: Schema.Codec<A, unknown>, list: List) =>
  Effect.suspend(() => {
    const all: Array<A> = []
    const isEnough = (objects: ReadonlyArray<A>) => {
      all.push(...objects)
      return false
    }
    return Effect.map(read(api, item, list, isEnough), (): ReadonlyArray<A> => all.toReversed())
  })

/** The newest object of a list that is meant; null where there is none. */
export const firstOf = <A extends Named>(
  api: StripeApi,
  item: Schema.Codec<A, unknown>,
  list: List,
  is: (object: A) => boolean
) =>
  Effect.suspend(() => {
    let first: A | undefined
    const isEnough = (objects: ReadonlyArray<A>) => {
      first = objects.find(is)
      return first !== undefined
    }
    return Effect.map(read(api, item, list, isEnough), (): A | null => first ?? null)
  })
