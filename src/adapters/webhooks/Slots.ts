interface Claim {
  readonly start: () => void
  held: boolean
}

interface Tenant {
  held: number
  /** In the order in which they came. */
  readonly waiting: Set<Claim>
}

/**
 * Places for work that may hang: at most `share` for one organisation and `total` for all. A free place goes to the
 * organisation that holds the fewest, so that those whose work hangs do not hold up the others.
 */
export class Slots {
  private readonly share: number
  private readonly total: number
  private held = 0
  /** The organisations that hold a place or wait for one; the one that was served last comes last. */
  private readonly tenants = new Map<string, Tenant>()

  constructor(share: number, total: number) {
    this.share = share
    this.total = total
  }

  /**
   * Calls `start` once there is a place, immediately where one is free. The returned function gives the place back, or
   * leaves the queue; a second call does nothing.
   */
  take(organisation: string, start: () => void): () => void {
    const tenant = this.tenants.get(organisation) ?? { held: 0, waiting: new Set() }
    const claim: Claim = { start, held: false }
    this.tenants.set(organisation, tenant)
    tenant.waiting.add(claim)
    this.fill()
    return () => {
      this.giveBack(tenant, claim)
      if (tenant.held === 0 && tenant.waiting.size === 0) this.forget(organisation, tenant)
      this.fill()
    }
  }

  private giveBack(tenant: Tenant, claim: Claim): void {
    if (tenant.waiting.delete(claim) || !claim.held) return
    claim.held = false
    tenant.held--
    this.held--
  }

  private forget(organisation: string, tenant: Tenant): void {
    if (this.tenants.get(organisation) === tenant) this.tenants.delete(organisation)
  }

  private fill(): void {
    while (this.held < this.total) {
      const next = this.next()
      if (next === undefined) return
      const [organisation, tenant] = next
      const [claim] = tenant.waiting
      if (claim === undefined) return
      tenant.waiting.delete(claim)
      claim.held = true
      tenant.held++
      this.held++
      this.tenants.delete(organisation)
      this.tenants.set(organisation, tenant)
      claim.start()
    }
  }

  /** The organisation that gets the next place. */
  private next(): readonly [string, Tenant] | undefined {
    let next: readonly [string, Tenant] | undefined
    for (const each of this.tenants) {
      const [, { held, waiting }] = each
      if (waiting.size > 0 && held < Math.min(this.share, next?.[1].held ?? this.share)) next = each
    }
    return next
  }
}
