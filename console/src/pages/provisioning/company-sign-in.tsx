import { Trans } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import type { ProvisioningConnection } from 'rollbook/client'
import { useCan } from '../../api/me.ts'
import { useSignInOf } from '../../data/companies.ts'
import { Section } from '../../ui/section.tsx'
import { State } from '../../ui/state.tsx'
import styles from './provisioning.module.css'

/** The connection through which users of the same company sign in, or the offer to create it. */
export function CompanySignIn({ connection: provisioning }: { connection: ProvisioningConnection }) {
  const found = useSignInOf(provisioning)
  const mayCreate = useCan('connections:write')
  const { name, profile } = provisioning
  if (found === undefined || (found.length === 0 && !mayCreate)) return null
  return (
    <Section
      title={<Trans>Company sign-in</Trans>}
      description={found.length === 0 ? <Trans>Not set up: users need a password, or a passkey.</Trans> : undefined}
      actions={
        found.length === 0 && (
          <Link
            to="/sign-in-connections/new"
            search={
              profile === 'strict' || profile === 'jumpcloud'
                ? { name, provider: 'generic' }
                : { name, provider: profile }
            }
          >
            <Trans>Set up sign-in</Trans>
          </Link>
        )
      }
    >
      {found.map(({ connection_id: connectionId, name: signInName, active }) => (
        <p key={connectionId} className={styles.line}>
          <Link to="/sign-in-connections/$connectionId" params={{ connectionId }} dir="auto">
            {signInName}
          </Link>
          {active ? (
            <State kind="good">
              <Trans>Active</Trans>
            </State>
          ) : (
            <State kind="off">
              <Trans>Inactive</Trans>
            </State>
          )}
        </p>
      ))}
    </Section>
  )
}
