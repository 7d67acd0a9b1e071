import { useLingui } from '@lingui/react/macro'
import { Radio, Stack } from '@mantine/core'
import type { ExportFormat } from './row-counter.ts'

/** Those for people have labels and local times; the others are the rows of the API. */
export type OfferedFormat = 'xlsx' | 'excel-csv' | ExportFormat

export function isForPeople(format: OfferedFormat): format is 'xlsx' | 'excel-csv' {
  return format === 'xlsx' || format === 'excel-csv'
}

type Props = { format: OfferedFormat; onChange: (format: OfferedFormat) => void }

export function FormatChoice({ format, onChange }: Props) {
  const { t } = useLingui()
  return (
    <Radio.Group label={t`Format`} value={format} onChange={(value) => onChange(value as OfferedFormat)}>
      <Stack gap="sm" pt={8}>
        <Radio
          value="xlsx"
          label={t`Excel workbook`}
          description={t`A .xlsx file with labels and local times.`}
          data-autofocus
        />
        <Radio
          value="excel-csv"
          label={t`CSV for Excel`}
          description={t`Labels, local times, and the separator of your language. Formulas get an apostrophe in front.`}
        />
        <Radio
          value="csv"
          label="CSV"
          description={t`For programs and for import. Formulas get an apostrophe in front.`}
        />
        <Radio value="ndjson" label="NDJSON" description={t`For programs and for import: a user on each line.`} />
        <Radio value="json" label="JSON" description={t`One array, as the API returns it.`} />
      </Stack>
    </Radio.Group>
  )
}
