/** How many times as much as usual the deep runs try: histories, crashes, stops. `ROUNDS` asks for more than once. */
export const rounds = Number(process.env["ROUNDS"] ?? 1)

/** The cases of a property that is dear: a third of them, and all where there is time for it. */
export const cases = (all: number): number => (rounds > 1 ? all : Math.ceil(all / 3))

/** Requests of each kind of hostile test, together. `HOSTILE_REQUESTS` asks for another number. */
export const hostileRequests = Number(process.env["HOSTILE_REQUESTS"] ?? 600)

const failpoints = process.env["FAILPOINTS"]

/** How many failpoints processes are killed at: a few, as many as `FAILPOINTS` says, or `all`, of which `most` are enough. */
export const kills = (few: number, most = Number.POSITIVE_INFINITY): number =>
  failpoints === "all" ? most : Number(failpoints ?? few)

/** Random histories of gifts. `HISTORIES` asks for another number. */
export const histories = Number(process.env["HISTORIES"] ?? 200)
