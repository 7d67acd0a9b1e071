import { useLingui } from '@lingui/react/macro'
import type { AccessRequest } from 'rollbook/client'

export function useStateWords(): Record<AccessRequest['state'], string> {
  const { t } = useLingui()
  return { waiting: t`Waiting`, approved: t`Approved`, declined: t`Declined`, expired: t`Expired` }
}

/** The person's name, or the address. */
export function personOf({ first_name, last_name, email }: AccessRequest): string {
  return `${first_name} ${last_name}`.trim() || email
}
