import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { exportConfiguration } from '../../data/configuration.ts'
import { IconExport } from '../../ui/icons.tsx'
import { Problem } from '../../ui/problem.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { useSubmit } from '../../ui/use-submit.ts'

/** Downloads the file of the running system. */
export function ExportButton() {
  const { t } = useLingui()
  const { submit, isPending, error } = useSubmit(exportConfiguration, {
    onSuccess: (text) => saveFile(new Blob([text], { type: 'application/yaml' }), 'rollbook.yaml'),
  })
  return (
    <>
      <Button leftSection={<IconExport />} variant="default" loading={isPending} onClick={() => submit(undefined)}>
        <Trans>Download as a file</Trans>
      </Button>
      {error !== null && <Problem error={error} title={t`The file could not be read.`} />}
    </>
  )
}
