import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import type { Organization } from 'rollbook/client'
import { ApiCallButton } from '../../api-call/button.tsx'
import { brandingFields, brandingQuery, organizationBrandingQuery } from '../../data/branding.ts'
import { BrandingForm } from '../../parts/branding/branding-form.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Tab } from './tab.tsx'

const ResetBrandingDialog = lazy(() => import('./reset-branding-dialog.tsx'))

/** The look of the organization; what it leaves out is the product's. */
export function BrandingTab({ organization }: { organization: Organization }) {
  const { t } = useLingui()
  const { organization_id } = organization
  const own = useQuery(organizationBrandingQuery(organization_id))
  const product = useQuery(brandingQuery)
  const [isResetting, setIsResetting] = useState(false)
  const isOwn = own.data !== undefined && brandingFields.some((name) => own.data[name] !== null)
  const failed = [own, product].find(({ error }) => error !== null)
  return (
    <Tab
      note={
        <Trans>
          The sign-in pages, the account page and messages of this organization. What is empty looks like the product.
        </Trans>
      }
      actions={
        <>
          <ApiCallButton
            size="xs"
            calls={[{ operation: 'GET /organizations/{organization_id}/branding', path: { organization_id } }]}
          />
          {isOwn && (
            <Button variant="default" onClick={() => setIsResetting(true)}>
              <Trans>Use the product’s look</Trans>
            </Button>
          )}
        </>
      }
    >
      {own.data !== undefined && product.data !== undefined ? (
        <BrandingForm
          key={own.data.updated_at}
          branding={own.data}
          organization={{ organizationId: organization_id, product: product.data }}
        />
      ) : failed !== undefined ? (
        <Problem error={failed.error} retry={() => void failed.refetch()} title={t`The branding could not be read.`} />
      ) : (
        <Skeleton height={420} aria-busy="true" />
      )}
      <Suspense fallback={null}>
        {isResetting && own.data !== undefined && (
          <ResetBrandingDialog organization={organization} branding={own.data} onClose={() => setIsResetting(false)} />
        )}
      </Suspense>
    </Tab>
  )
}
