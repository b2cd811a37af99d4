import { Effect, Option } from "effect"
import { Limits } from "../../domain/kernel/Limits.ts"

/**
 * How many files and sockets this process may have open; none where the system sets no limit. Node raises it to what the
 * system permits when it starts.
 */
export const descriptorLimit: Effect.Effect<Option.Option<number>> = Effect.sync(() => {
  // With the network, the report would resolve the names of open connections. Old versions ignore this property.
  Reflect.set(process.report, "excludeNetwork", true)
  const report: { readonly userLimits?: { readonly open_files?: { readonly soft?: number | "unlimited" } } } = Object(
    process.report.getReport()
  )
  const soft = report.userLimits?.open_files?.soft
  return typeof soft === "number" ? Option.some(soft) : Option.none()
})

/**
 * The number of connections that leaves descriptors for everything else: the embedded database's files, the connection
 * pool, deliveries, mails. At most half of the limit; a quarter where no number was asked for.
 */
export const connectionsWithin = (asked: Option.Option<number>, limit: Option.Option<number>): number => {
  const share = (divisor: number) =>
    Option.match(limit, {
      onNone: () => Number.MAX_SAFE_INTEGER,
      onSome: (descriptors) => Math.max(1, Math.floor(descriptors / divisor))
    })
  return Option.match(asked, {
    onNone: () => Math.min(Limits.connections, share(4)),
    onSome: (connections) => Math.min(connections, share(2))
  })
}

/** The connections that the server may have open. Warns where they are fewer than was asked for, or than the default. */
export const maxConnections = Effect.fnUntraced(function* (asked: Option.Option<number>) {
  const limit = yield* descriptorLimit
  const connections = connectionsWithin(asked, limit)
  const wanted = Option.getOrElse(asked, () => Limits.connections)
  if (connections < wanted) {
    const descriptors = Option.getOrElse(limit, () => 0)
    yield* Effect.logWarning(
      `At most ${connections} connections are open at once, and not ${wanted}: the process may open ${descriptors} files and sockets. Raise that limit (ulimit -n).`
    )
  }
  return connections
})
