import { invalid, type Json, missingObject } from "./Protocol.ts"

/** Whoever asks with a key that is no own account's. */
export const platform = "platform"

/** What all of a double has in common: who asks, whose an object is, what moved, and what was told. */
export const makeBooks = () => {
  const events: Array<Json & { id: string; created: number }> = []
  const movements: Array<Json> = []
  // Whose an object is: the platform's, or that of an account that asks with its own key.
  const owners = new Map<string, string>()
  let ids = 0

  const books = {
    events,
    movements,
    /** Who asks now. */
    acting: platform,

    next: (prefix: string) => {
      ids += 1
      return `${prefix}_${String(ids).padStart(8, "0")}`
    },

    now: () => Math.floor(Date.now() / 1_000),

    own: (id: string) => void owners.set(id, books.acting),

    ownerOf: ({ id, payment_intent }: Json): string =>
      owners.get(String(payment_intent ?? id)) ?? owners.get(String(id)) ?? platform,

    /** An object that is named belongs to whoever asks. */
    requireOwn: (id: unknown) => {
      if (id !== undefined && (owners.get(String(id)) ?? books.acting) !== books.acting) throw missingObject("object")
    },

    /** Tells of something; of a connected account with its name. */
    emit: (type: string, object: Json, account?: string) => {
      const data = { object: structuredClone(object) }
      const of = account === undefined ? {} : { account }
      const event = { id: books.next("evt"), object: "event", type, created: books.now(), data, ...of }
      owners.set(event.id, books.ownerOf(object))
      events.push(event)
    },

    /** Moves money on the balance. */
    move: (type: string, amount: number, fee: number, currency: unknown, source: Json) => {
      const what = { object: "balance_transaction", type, amount, fee, currency, source }
      const moved = { id: books.next("txn"), created: books.now(), ...what }
      owners.set(moved.id, books.ownerOf(source))
      movements.push(moved)
      return moved
    },

    /** A page of a list of whoever asks, the newest first. */
    page: (everyones: ReadonlyArray<Json>, query: Json) => {
      const all = everyones.filter((each) => books.ownerOf(each) === books.acting)
      const { gte, lt, lte } = (query.created ?? {}) as Record<string, string>
      const within = all
        .filter(({ created }) => gte === undefined || Number(created) >= Number(gte))
        .filter(({ created }) => lte === undefined || Number(created) <= Number(lte))
        .filter(({ created }) => lt === undefined || Number(created) < Number(lt))
        .toReversed()
      const limit = Number(query.limit ?? 10)
      const at = (id: unknown) => {
        if (all.every((each) => each.id !== id)) throw invalid("resource_missing", "No such object")
        return within.findIndex((each) => each.id === id)
      }
      if (query.ending_before !== undefined) {
        const end = at(query.ending_before)
        const start = Math.max(0, end - limit)
        return { object: "list", data: within.slice(start, end), has_more: start > 0 }
      }
      const start = query.starting_after === undefined ? 0 : at(query.starting_after) + 1
      return { object: "list", data: within.slice(start, start + limit), has_more: start + limit < within.length }
    }
  }
  return books
}

export type Books = ReturnType<typeof makeBooks>
