/**
 * The number of cases that is asked for, or the usual one: of none nothing is seen, and of a part fast-check finds no end.
 *
 * @throws RangeError where it is no whole number from 1 on
 */
export const runsOf = ({ runs }: { readonly runs?: number }, usual: number): number => {
  if (runs === undefined) return usual
  if (!Number.isSafeInteger(runs) || runs < 1) {
    throw new RangeError(`runs is ${runs}. Give a whole number from 1 on, or leave it out for ${usual}.`)
  }
  return runs
}
