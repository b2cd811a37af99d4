/** What a fault's result says of the promises, and how it is printed. */
import { quantity } from "../harness/Table.mjs"

/** What is told of a fault. */
export const columns = [
  "fault",
  "arrived",
  "lost",
  "doubled",
  "repeated",
  "given up early",
  "prompt again after",
  "verdict"
]

/** The promises that a result breaks, in words. */
export function brokenPromises(fault, result) {
  const broken = [...result.broken]
  if (result.lost > 0) broken.push(`${result.lost} did not arrive`)
  if (result.doubled > 0) broken.push(`${result.doubled} came again without a crash`)
  if (result.failedEarly > 0) broken.push(`${result.failedEarly} were given up before six requests`)
  if (result.recoverySeconds > fault.recoverWithin) {
    broken.push(`not prompt again within ${fault.recoverWithin} s`)
  }
  return broken
}

const count = (number) => number.toLocaleString("en")

const recovered = ({ recoverySeconds }) => (recoverySeconds === null ? "never" : quantity(recoverySeconds, "s"))

/** The row of a fault that was tried. */
export const rowOf = (fault, result, broken) => ({
  fault: fault.title,
  arrived: `${count(result.arrived)} of ${count(result.expected)}`,
  lost: count(result.lost),
  doubled: count(result.doubled),
  repeated: count(result.repeated),
  "given up early": count(result.failedEarly),
  "prompt again after": recovered(result),
  verdict: broken.length === 0 ? "holds" : "BROKEN"
})

/** The row of a fault that was not. */
export const rowWithout = (fault, why) => ({
  ...Object.fromEntries(columns.map((column) => [column, "–"])),
  fault: fault.title,
  verdict: `not run: ${why}`
})
