import { lookup } from "node:dns/promises"

/** All A and AAAA answers of a host name; rejects when it does not resolve. */
export type Resolve = (hostname: string) => Promise<ReadonlyArray<string>>

/** Callers that ask for the same name at the same time share one look-up; no answer is kept. */
const shared = (resolve: Resolve): Resolve => {
  const pending = new Map<string, Promise<ReadonlyArray<string>>>()
  return (hostname) => {
    const known = pending.get(hostname)
    if (known !== undefined) return known
    const answers = resolve(hostname).finally(() => pending.delete(hostname))
    pending.set(hostname, answers)
    return answers
  }
}

/** Resolves as the operating system does, `/etc/hosts` included. */
export const resolveSystem: Resolve = shared((hostname) =>
  lookup(hostname, { all: true, verbatim: true }).then((answers) => answers.map(({ address }) => address))
)
