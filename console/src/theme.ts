import { createTheme, type MantineColorsTuple } from '@mantine/core'

/** The blue of the sign-in page and the docs page. White text on the sixth keeps the contrast of WCAG 2 AA. */
const rollbook: MantineColorsTuple = [
  '#eef4fd',
  '#dae6f8',
  '#b3cbf0',
  '#8ab0e9',
  '#6899e3',
  '#3b78cf',
  '#1f5fbf',
  '#174a97',
  '#133c7a',
  '#0c2a58',
]

export const theme = createTheme({
  primaryColor: 'rollbook',
  primaryShade: { light: 6, dark: 6 },
  colors: { rollbook },
  fontFamily: "'Inter Variable', system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, 'DejaVu Sans Mono', monospace",
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  headings: { fontWeight: '650' },
})
