import { Plural, Trans } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import type { ProvisioningProfile, SignInConnection } from 'rollbook/client'
import { useCan } from '../../api/me.ts'
import { useProvisioningOf } from '../../data/companies.ts'
import { Section } from '../../ui/section.tsx'
import styles from './sign-in-connections.module.css'

const CreateConnectionDialog = lazy(() => import('../../parts/connections/create-connection-dialog.tsx'))

/** The others send no SCIM requests. */
const profiles: Partial<Record<string, ProvisioningProfile>> = {
  entra: 'entra',
  okta: 'okta',
  google: 'google',
  keycloak: 'strict',
  generic: 'strict',
}

/** The provisioning connection of the same company, or the offer to create it. */
export function CompanyProvisioning({ connection: signIn }: { connection: SignInConnection }) {
  const [isCreating, setIsCreating] = useState(false)
  const profile = signIn.kind === 'oidc' || signIn.kind === 'saml' ? profiles[signIn.preset] : undefined
  return (
    <>
      <Found signIn={signIn} isOffered={profile !== undefined} onCreate={() => setIsCreating(true)} />
      {/* Apart from the section: the dialog holds the new key while the section reads the lists again. */}
      <Suspense fallback={null}>
        {isCreating && profile !== undefined && (
          <CreateConnectionDialog
            initial={{ name: signIn.name, profile, organization: signIn.organization_id ?? '' }}
            onClose={() => setIsCreating(false)}
          />
        )}
      </Suspense>
    </>
  )
}

type FoundProps = { signIn: SignInConnection; isOffered: boolean; onCreate: () => void }

function Found({ signIn, isOffered, onCreate }: FoundProps) {
  const found = useProvisioningOf(signIn)
  const mayCreate = [useCan('provisioning:write'), useCan('scim:write')].every(Boolean)
  if (found === undefined || (found.length === 0 && !(isOffered && mayCreate))) return null
  return (
    <Section
      title={<Trans>Provisioning (SCIM)</Trans>}
      description={
        found.length === 0 ? (
          <Trans>
            Not set up: users are created when they first sign in, and stay active here until you disable them.
          </Trans>
        ) : undefined
      }
      actions={
        found.length === 0 && (
          <Button variant="default" onClick={onCreate}>
            <Trans>Set up provisioning</Trans>
          </Button>
        )
      }
    >
      {found.map(({ connection_id: connectionId, name, user_count }) => (
        <p key={connectionId} className={styles.plain}>
          <Link to="/provisioning/$connectionId" params={{ connectionId }} dir="auto">
            {name}
          </Link>{' '}
          · <Plural value={user_count} one="# managed user" other="# managed users" />
        </p>
      ))}
    </Section>
  )
}
