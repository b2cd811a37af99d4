/** The nearest-rank percentile of numbers; NaN of none. */
export function percentile(numbers, rank) {
  const sorted = Float64Array.from(numbers).sort()
  return sorted[Math.max(0, Math.ceil((rank / 100) * sorted.length) - 1)] ?? Number.NaN
}

export const median = (numbers) => percentile(numbers, 50)
