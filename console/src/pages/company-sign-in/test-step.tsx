import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { SignInConnection } from 'rollbook/client'
import { placeOf } from '../../api/base.ts'
import { CopyLine } from '../../ui/copy.tsx'
import { Section } from '../../ui/section.tsx'
import { Activation } from './activation.tsx'
import { Certificates } from './certificates.tsx'
import { Failures } from './failures.tsx'
import { TestPanel } from './test-panel.tsx'
import { TestSignIn } from './test-sign-in.tsx'

/** A test sign-in and a trial of the mapping, then the activation, then sign-ins as they happen. */
export function TestStep({ connection, onBack }: { connection: SignInConnection; onBack: () => void }) {
  const { t } = useLingui()
  const { connection_id: connectionId, active, certificate_details: details = [] } = connection
  return (
    <>
      {details.length > 0 && (
        <Section
          title={<Trans>Certificates of the provider</Trans>}
          description={<Trans>Compare the fingerprints with what the provider shows.</Trans>}
        >
          <Certificates details={details} />
        </Section>
      )}
      <TestSignIn connection={connection} />
      {active && (
        <Section
          title={<Trans>Sign in</Trans>}
          description={
            <Trans>Open this address in a private window. If the sign-in fails, the reason appears below.</Trans>
          }
        >
          <CopyLine text={`${placeOf('login')}?connection=${connectionId}`} label={t`the sign-in address`} />
        </Section>
      )}
      <Failures connectionId={connectionId} />
      <TestPanel connection={connection} />
      <Group gap="sm">
        {active ? (
          <Link to="/sign-in-connections/$connectionId" params={{ connectionId }}>
            <Trans>Show the connection</Trans>
          </Link>
        ) : (
          <Activation connection={connection} />
        )}
        <Button variant="default" onClick={onBack}>
          <Trans>Back</Trans>
        </Button>
      </Group>
    </>
  )
}
