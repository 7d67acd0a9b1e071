/** A finding of the doctor, with its remedy. */
export type Group = 'configuration' | 'storage' | 'disk' | 'files' | 'clock' | 'mail' | 'deployment'

/** `skipped`: it could not be checked, and `found` says why. */
export type Status = 'ok' | 'warning' | 'failed' | 'skipped'

export type Finding = {
  group: Group
  check: string
  status: Status
  found: string
  /** The next step for the operator. */
  advice?: string
}

/** The findings of one group. */
export function reportOf(group: Group) {
  return {
    ok: (check: string, found: string): Finding => ({ group, check, status: 'ok', found }),
    warning: (check: string, found: string, advice: string): Finding => ({
      group,
      check,
      status: 'warning',
      found,
      advice,
    }),
    failed: (check: string, found: string, advice: string): Finding => ({
      group,
      check,
      status: 'failed',
      found,
      advice,
    }),
    skipped: (check: string, found: string, advice?: string): Finding => ({
      group,
      check,
      status: 'skipped',
      found,
      ...(advice !== undefined && { advice }),
    }),
  }
}

export function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')
}
