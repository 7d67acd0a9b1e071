import { Trans } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import type { SignInConnection } from 'rollbook/client'
import { placeOf } from '../../api/base.ts'
import { useCan } from '../../api/me.ts'
import { Section } from '../../ui/section.tsx'

/** A test sign-in in a new tab. It works before the connection is active. */
export function TestSignIn({ connection: { connection_id, active } }: { connection: SignInConnection }) {
  const mayTest = [useCan('connections:write'), useCan('users:read')].every(Boolean)
  if (!mayTest) return null
  return (
    <Section
      title={<Trans>Test sign-in</Trans>}
      description={
        active ? (
          <Trans>Sign in at the provider. A page then shows what arrived, claim by claim. Nothing is changed.</Trans>
        ) : (
          <Trans>
            Sign in at the provider before the connection is active. A page then shows what arrived, claim by claim, and
            which user it would create. Nothing is changed.
          </Trans>
        )
      }
    >
      <div>
        <Button
          component="a"
          href={`${placeOf('login')}?connection=${connection_id}&test`}
          target="_blank"
          rel="noopener"
          variant={active ? 'default' : 'filled'}
        >
          <Trans>Test sign-in in a new tab</Trans>
        </Button>
      </div>
    </Section>
  )
}
