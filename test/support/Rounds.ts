/** How many times as much as usual the deep runs try: histories, crashes, stops. `ROUNDS` asks for more than once. */
export const rounds = Number(process.env["ROUNDS"] ?? 1)

/** The cases of a property that is dear: a third of them, and all where there is time for it. */
export const cases = (all: number): number => (rounds > 1 ? all : Math.ceil(all / 3))

/** Requests of each kind of hostile test, together. `HOSTILE_REQUESTS` asks for another number. */
export const hostileRequests = Number(process.env["HOSTILE_REQUESTS"] ?? 600)

/** Whether processes are killed at every failpoint, and not at a few only. `npm run crash` asks for it. */
export const everyFailpoint = process.env["FAILPOINTS"] === "all"

/** Random histories of gifts. `HISTORIES` asks for another number. */
export const histories = Number(process.env["HISTORIES"] ?? 200)
