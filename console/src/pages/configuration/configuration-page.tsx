import { useLingui } from '@lingui/react/macro'
import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { configurationQuery } from '../../data/configuration.ts'
import { Page } from '../../layout/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Applies } from './applies.tsx'
import { DriftSection } from './drift-section.tsx'
import { ExportButton } from './export-button.tsx'

export default function ConfigurationPage() {
  const { t } = useLingui()
  const { data, error, refetch } = useQuery(configurationQuery)
  return (
    <Page
      title={t`Configuration`}
      description={t`What a file in your repository manages, and what was changed by hand since it was applied.`}
      calls={[{ operation: 'GET /configuration/history' }, { operation: 'GET /configuration' }]}
      actions={<ExportButton />}
    >
      {data !== undefined ? (
        <>
          <DriftSection drift={data.drift} managed={data.managed} />
          <Applies applies={data.applies} />
        </>
      ) : error !== null ? (
        <Problem error={error} retry={() => void refetch()} title={t`The configuration could not be read.`} />
      ) : (
        <Skeleton height={320} aria-busy="true" />
      )}
    </Page>
  )
}
