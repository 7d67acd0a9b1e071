import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import type { ProvisioningConnection } from 'rollbook/client'
import { placeOf } from '../../api/base.ts'
import { useCan } from '../../api/me.ts'
import { connectionQuery } from '../../data/provisioning.ts'
import { Page } from '../../layout/page.tsx'
import { ProfileName } from '../../parts/connections/profile-name.tsx'
import { FileBadge } from '../../parts/managed/managed-by-file.tsx'
import { GuideLinks, GuideSteps } from '../../parts/provider-guides/guide-steps.tsx'
import { provisioningGuideOf } from '../../parts/provider-guides/provisioning-guides.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { CopyLine } from '../../ui/copy.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { Instant } from '../../ui/time.tsx'
import { WaitingSections } from '../../ui/waiting-sections.tsx'
import { CompanySignIn } from './company-sign-in.tsx'
import { RejectedRequests } from './rejected-requests.tsx'

const EditConnectionDialog = lazy(() => import('./edit-connection-dialog.tsx'))
const NewKeyDialog = lazy(() => import('./new-key-dialog.tsx'))
const DeleteConnectionDialog = lazy(() => import('./delete-connection-dialog.tsx'))

type Opened = 'edit' | 'key' | 'delete'

const route = getRouteApi('/shell/provisioning/$connectionId')

export default function ConnectionPage() {
  const { t } = useLingui()
  const { connectionId } = route.useParams()
  const { data, error, refetch } = useQuery(connectionQuery(connectionId))
  const mayWrite = useCan('provisioning:write', data ?? {})
  const mayCreateKeys = useCan('keys:write', data ?? {})
  const mayUseScim = useCan('scim:write', data ?? {})
  const mayGiveKey = mayWrite && mayCreateKeys && mayUseScim
  const [opened, setOpened] = useState<Opened | undefined>()
  const close = () => setOpened(undefined)
  return (
    <Page
      title={data?.name ?? t`Connection`}
      back={
        <BackLink to="/provisioning">
          <Trans>Provisioning</Trans>
        </BackLink>
      }
      description={data && <FileBadge of={data} />}
      changes={['provisioning:write']}
      of={data}
      calls={[{ operation: 'GET /provisioning/{connection_id}', path: { connection_id: connectionId } }]}
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
            {mayGiveKey && (
              <Button onClick={() => setOpened('key')}>
                <Trans>Create key</Trans>
              </Button>
            )}
          </>
        )
      }
    >
      {error && <Problem error={error} retry={() => void refetch()} title={t`Could not load the connection.`} />}
      {data === undefined && !error && <WaitingSections />}
      {data !== undefined && (
        <>
          <State connection={data} />
          <CompanySignIn connection={data} />
          {data.last_used_at === null && <SetUp connection={data} />}
          <RejectedRequests connectionId={connectionId} />
          <Suspense fallback={null}>
            {opened === 'edit' && <EditConnectionDialog connection={data} onClose={close} />}
            {opened === 'key' && <NewKeyDialog connection={data} onClose={close} />}
            {opened === 'delete' && <DeleteConnectionDialog connection={data} onClose={close} />}
          </Suspense>
        </>
      )}
    </Page>
  )
}

/** Shown until the first request arrives. */
function SetUp({ connection: { profile, scim_url } }: { connection: ProvisioningConnection }) {
  const guide = provisioningGuideOf(profile)
  const { product } = guide
  return (
    <Section
      title={product === undefined ? <Trans>Copy to the provider</Trans> : <Trans>Copy to {product}</Trans>}
      actions={<GuideLinks guide={guide} />}
    >
      <GuideSteps guide={guide} values={{ scim_url }} />
    </Section>
  )
}

function State({ connection }: { connection: ProvisioningConnection }) {
  const { t } = useLingui()
  const { connection_id, profile, end_date_attribute, scim_url, user_count, last_used_at, created_at } = connection
  return (
    <Section title={<Trans>Connection</Trans>}>
      <Facts>
        <Fact name={t`SCIM address`}>
          <CopyLine text={scim_url} label={t`the SCIM address`} />
        </Fact>
        <Fact name={t`Identity provider`}>
          <ProfileName profile={profile} />
        </Fact>
        {end_date_attribute !== null && <Fact name={t`Attribute with the end date`}>{end_date_attribute}</Fact>}
        <Fact name={t`Managed users`}>
          <Link to="/users" search={{ managed_by: connection_id }}>
            <Plural value={user_count} one="# user" other="# users" />
          </Link>
        </Fact>
        <Fact name={t`Last request`}>
          <Instant value={last_used_at} never={t`Never. Test the connection in the identity provider.`} />
        </Fact>
        <Fact name={t`Created`}>
          <Instant value={created_at} style="full" />
        </Fact>
        <Fact name={t`Schema`}>
          <a href={`${placeOf('scim/v2')}/ServiceProviderConfig`} target="_blank" rel="noreferrer">
            <Trans>What this service supports</Trans>
          </a>
        </Fact>
      </Facts>
    </Section>
  )
}
