import { useLingui } from '@lingui/react/macro'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type { SignInConnection, UpdateSignInConnection } from 'rollbook/client'
import { pasteFault } from '../../../../src/lib/paste-checks.ts'
import { api } from '../../api/client.ts'
import { signInConnectionsKey } from '../../data/sign-in-connections.ts'
import type { Provider } from '../../parts/connections/providers.ts'
import type { Override } from '../../parts/managed/managed-by-file.tsx'
import { formatInstant } from '../../ui/instants.ts'
import { faultsByField } from './faults.ts'
import { usePasteWords } from './paste-words.ts'
import type { Values } from './values.ts'

/** A likely mistake in a value, and its likely correction. */
export type Advice = { text: string; suggestion?: string }

type Known = Provider & Partial<SignInConnection>

/** Returns what is probably wrong with a field, as soon as something is pasted there. */
export function usePasteAdvice(connection: Known, values: Values): (name: string) => Advice | undefined {
  const words = usePasteWords()
  const ours = [
    connection.redirect_uri,
    connection.post_logout_redirect_uri,
    connection.backchannel_logout_uri,
    connection.global_token_revocation_uri,
    connection.acs_url,
    connection.sp_entity_id,
  ]
  return (name) => {
    const value = values[name]
    if (typeof value !== 'string') return undefined
    const pasted = pasteFault(name, value, { provider: connection, others: values, ours })
    if (pasted === undefined) return undefined
    const { fault, suggestion } = pasted
    return { text: words(fault), ...(suggestion !== undefined && { suggestion }) }
  }
}

/** What the service checks before anything is saved: it fetches an address of metadata, and reads certificates. */
const checked = ['metadata_url', 'metadata', 'certificates'] as const

/** Tries the values of the provider with a dry run, shortly after they were entered. */
export function useTrial(connection: SignInConnection | undefined, changes: UpdateSignInConnection, how: Override) {
  const { t, i18n } = useLingui()
  const entered = Object.fromEntries(
    checked.flatMap((name) => {
      const value = changes[name]
      return value === undefined || value === '' || value?.length === 0 ? [] : [[name, value]]
    }),
  ) as UpdateSignInConnection
  const [body] = useDebouncedValue(JSON.stringify(entered), 500)
  const trial = useQuery({
    queryKey: [...signInConnectionsKey, connection?.connection_id, 'settings-trial', body],
    queryFn: ({ signal }) =>
      api.connections.update(connection?.connection_id ?? '', JSON.parse(body) as UpdateSignInConnection, {
        ...how,
        dryRun: true,
        signal,
      }),
    enabled: connection !== undefined && body !== '{}',
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  })
  const isCurrent = body === JSON.stringify(entered) && body !== '{}'
  if (!isCurrent) return { adviceOn: () => undefined, found: undefined }
  const { faults } = faultsByField(trial.error, checked)
  const certificates = trial.data?.certificate_details ?? []
  const last = certificates.map(({ not_after }) => not_after).sort()[0]
  const isExpired = last !== undefined && Date.parse(last) < Date.now()
  const date = last === undefined ? '' : formatInstant(last, i18n.locale, 'date')
  const expired = t`A certificate expired on ${date}. Let the provider sign with another one first.`
  return {
    adviceOn(name: string): Advice | undefined {
      const text = faults[name] ?? (isExpired && name in entered ? expired : undefined)
      return text === undefined ? undefined : { text }
    },
    found:
      trial.data?.entity_id === undefined || last === undefined || isExpired
        ? undefined
        : t`Read: ${trial.data.entity_id}. The certificate is valid until ${date}.`,
  }
}
