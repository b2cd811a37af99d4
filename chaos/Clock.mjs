/**
 * Loaded before the program in each of its processes: gives it a wall clock that can be moved from outside, by the
 * variable CHAOS_CLOCK_MILLIS at its start and by messages `{ clockMillis }` later. Monotonic time stays as it is.
 */
const RealDate = Date
const realNow = Date.now.bind(Date)
let offset = Number(process.env["CHAOS_CLOCK_MILLIS"] ?? 0)

const now = () => realNow() + offset

RealDate.now = now
globalThis.Date = new Proxy(RealDate, {
  construct: (target, values, made) =>
    Reflect.construct(target, values.length === 0 ? [now()] : values, made === globalThis.Date ? target : made),
  apply: () => new RealDate(now()).toString()
})

process.on("message", ({ clockMillis }) => {
  offset = clockMillis
})
// Nobody is left to end this process.
process.on("disconnect", () => process.exit(1))
process.channel?.unref()
