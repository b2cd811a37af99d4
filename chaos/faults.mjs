/**
 * The faults by name. Each has a `title`, how it is `run(context)`, within how many seconds after its end deliveries must
 * be prompt again (`recoverWithin`), and where it is not always possible `whyNot()`. What `isQuiet` mostly waits, so that
 * several of those run at a time.
 */
import { backlog } from "./faults/backlog.mjs"
import { clockAhead, clockBack, clockForward } from "./faults/clocks.mjs"
import { crashes } from "./faults/crashes.mjs"
import { databaseClockBack, databaseClockForward } from "./faults/databaseClock.mjs"
import { frozen } from "./faults/frozen.mjs"
import { hangingNames } from "./faults/hangingNames.mjs"
import { hostKilled } from "./faults/hostKilled.mjs"
import { outage } from "./faults/outage.mjs"
import { killed } from "./faults/processKill.mjs"
import { locked } from "./faults/rowLock.mjs"
import { silentConnections } from "./faults/silentConnections.mjs"
import { slowClaims } from "./faults/slowClaims.mjs"
import { tarPit1, tarPit16, tarPit140 } from "./faults/tarPits.mjs"
import { undecodable } from "./faults/undecodable.mjs"

export const faults = {
  killed,
  crashes,
  frozen,
  "clock-back": clockBack,
  "clock-forward": clockForward,
  "clock-ahead": clockAhead,
  "database-clock-back": databaseClockBack,
  "database-clock-forward": databaseClockForward,
  outage,
  silent: silentConnections,
  "slow-claims": slowClaims,
  "host-killed": hostKilled,
  locked,
  names: hangingNames,
  "tar-pit-1": tarPit1,
  "tar-pit-16": tarPit16,
  "tar-pit-140": tarPit140,
  undecodable,
  backlog
}
