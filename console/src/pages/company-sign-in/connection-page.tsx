import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import type { SignInConnection } from 'rollbook/client'
import { placeOf } from '../../api/base.ts'
import { useCan } from '../../api/me.ts'
import { signInConnectionQuery } from '../../data/sign-in-connections.ts'
import { Page } from '../../layout/page.tsx'
import { ConnectionState } from '../../parts/connections/connection-list.tsx'
import { ProviderName } from '../../parts/connections/provider-name.tsx'
import { FileBadge } from '../../parts/managed/managed-by-file.tsx'
import { GuideLinks, GuideValues } from '../../parts/provider-guides/guide-steps.tsx'
import { signInGuideOf } from '../../parts/provider-guides/sign-in-guides.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { CopyLine } from '../../ui/copy.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { Instant } from '../../ui/time.tsx'
import { WaitingSections } from '../../ui/waiting-sections.tsx'
import { Activation } from './activation.tsx'
import { Certificates } from './certificates.tsx'
import { CompanyProvisioning } from './company-provisioning.tsx'
import { Failures } from './failures.tsx'
import { Passwords } from './passwords.tsx'
import { Synchronization } from './synchronization.tsx'
import { TestPanel } from './test-panel.tsx'
import { TestSignIn } from './test-sign-in.tsx'

const EditConnectionDialog = lazy(() => import('./edit-connection-dialog.tsx'))
const DeleteConnectionDialog = lazy(() => import('./delete-connection-dialog.tsx'))

const route = getRouteApi('/shell/sign-in-connections/$connectionId')

export default function ConnectionPage() {
  const { t } = useLingui()
  const { connectionId } = route.useParams()
  const { data, error, refetch } = useQuery(signInConnectionQuery(connectionId))
  const mayWrite = useCan('connections:write', data ?? {})
  const [opened, setOpened] = useState<'edit' | 'delete' | undefined>()
  const close = () => setOpened(undefined)
  return (
    <Page
      title={data?.name ?? t`Connection`}
      back={<BackToConnections />}
      description={data && <FileBadge of={data} />}
      changes={['connections:write']}
      of={data}
      calls={[{ operation: 'GET /connections/{connection_id}', path: { connection_id: connectionId } }]}
      actions={
        data !== undefined &&
        mayWrite && (
          <>
            <Button variant="default" onClick={() => setOpened('delete')}>
              <Trans>Delete connection</Trans>
            </Button>
            <Button variant="default" onClick={() => setOpened('edit')}>
              <Trans>Edit connection</Trans>
            </Button>
            <Activation connection={data} />
          </>
        )
      }
    >
      {error && <Problem error={error} retry={() => void refetch()} title={t`Could not load the connection.`} />}
      {data === undefined && !error && <WaitingSections />}
      {data !== undefined && (
        <>
          <ConnectionFacts connection={data} mayWrite={mayWrite} />
          <CompanyProvisioning connection={data} />
          <Addresses connection={data} />
          {data.certificate_details !== undefined && data.certificate_details.length > 0 && (
            <Section
              title={<Trans>Certificates of the provider</Trans>}
              description={<Trans>Compare the fingerprints with what the provider shows.</Trans>}
            >
              <Certificates details={data.certificate_details} />
            </Section>
          )}
          <Passwords connection={data} />
          {data.kind === 'ldap' && mayWrite && <Synchronization connection={data} />}
          <TestSignIn connection={data} />
          <Failures connectionId={connectionId} />
          <TestPanel connection={data} />
          <Suspense fallback={null}>
            {opened === 'edit' && <EditConnectionDialog connection={data} onClose={close} />}
            {opened === 'delete' && <DeleteConnectionDialog connection={data} onClose={close} />}
          </Suspense>
        </>
      )}
    </Page>
  )
}

/** What the provider was given, for comparing. */
function Addresses({ connection }: { connection: SignInConnection }) {
  const guide = signInGuideOf(connection)
  if (guide === undefined) return null
  const { product } = guide
  return (
    <Section
      title={product === undefined ? <Trans>Copy to the provider</Trans> : <Trans>Copy to {product}</Trans>}
      description={<Trans>Copy these exactly as they are.</Trans>}
      actions={<GuideLinks guide={guide} />}
    >
      <GuideValues guide={guide} values={connection} />
    </Section>
  )
}

export function BackToConnections() {
  return (
    <BackLink to="/sign-in-connections">
      <Trans>Company sign-in</Trans>
    </BackLink>
  )
}

/** Below the public URL, like the other addresses; the console may be open at another one. */
function signInAddress({ connection_id, redirect_uri }: SignInConnection): string {
  const [base] = redirect_uri?.split(`/connections/${connection_id}/`) ?? []
  return `${base === undefined ? placeOf('login') : `${base}/login`}?connection=${connection_id}`
}

function ConnectionFacts({ connection, mayWrite }: { connection: SignInConnection; mayWrite: boolean }) {
  const { t } = useLingui()
  const { connection_id, active, position, identity_count, provisioning_domains, trusted_domains, domains } = connection
  const { issuer, client_id, entity_id, servers, user_base, default_role, updated_at } = connection
  const listed = (list: readonly string[]) => (list.length === 0 ? t`None` : <bdi>{list.join(', ')}</bdi>)
  return (
    <Section
      title={<Trans>Connection</Trans>}
      actions={
        !active &&
        mayWrite && (
          <Link to="/sign-in-connections/new" search={{ connection: connection_id }}>
            <Trans>Continue setting up</Trans>
          </Link>
        )
      }
    >
      <Facts>
        <Fact name={t`State`}>
          <ConnectionState active={active} />
        </Fact>
        <Fact name={t`Provider`}>
          <ProviderName {...connection} />
        </Fact>
        {active && (
          <Fact name={t`Sign-in address`}>
            <CopyLine text={signInAddress(connection)} label={t`the sign-in address`} />
          </Fact>
        )}
        {issuer !== undefined && <Fact name={t`Issuer`}>{<bdi>{issuer}</bdi>}</Fact>}
        {client_id !== undefined && <Fact name={t`Client ID`}>{<bdi>{client_id}</bdi>}</Fact>}
        {entity_id !== undefined && <Fact name={t`Entity ID of the provider`}>{<bdi>{entity_id}</bdi>}</Fact>}
        {servers !== undefined && <Fact name={t`Servers`}>{listed(servers)}</Fact>}
        {user_base !== undefined && <Fact name={t`Base DN`}>{<bdi>{user_base}</bdi>}</Fact>}
        <Fact name={t`Creates users from`}>{listed(provisioning_domains)}</Fact>
        <Fact name={t`Links users from`}>{listed(trusted_domains)}</Fact>
        <Fact name={t`Routes users from`}>{listed(domains)}</Fact>
        <Fact name={t`Role of new users`}>{<bdi>{default_role}</bdi>}</Fact>
        <Fact name={t`Linked users`}>
          <Plural value={identity_count} one="# user" other="# users" />
        </Fact>
        <Fact name={t`Position on the sign-in page`}>{position}</Fact>
        <Fact name={t`Changed`}>
          <Instant value={updated_at} style="full" />
        </Fact>
      </Facts>
    </Section>
  )
}
