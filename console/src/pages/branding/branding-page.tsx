import { useLingui } from '@lingui/react/macro'
import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { brandingQuery } from '../../data/branding.ts'
import { Page } from '../../layout/page.tsx'
import { BrandingForm } from '../../parts/branding/branding-form.tsx'
import { FileBadge } from '../../parts/managed/managed-by-file.tsx'
import { Problem } from '../../ui/problem.tsx'

export default function BrandingPage() {
  const { t } = useLingui()
  const { data, error, refetch } = useQuery(brandingQuery)
  return (
    <Page
      title={t`Branding`}
      description={
        <>
          {t`The look of the sign-in pages, the account page and messages.`} {data && <FileBadge of={data} />}
        </>
      }
      calls={[{ operation: 'GET /branding' }]}
    >
      {data !== undefined ? (
        <BrandingForm key={data.updated_at} branding={data} />
      ) : error !== null ? (
        <Problem error={error} retry={() => void refetch()} title={t`The branding could not be read.`} />
      ) : (
        <Skeleton height={420} aria-busy="true" />
      )}
    </Page>
  )
}
