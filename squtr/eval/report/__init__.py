"""The report: one HTML file that opens anywhere, without a network and without scripts.

`page.write_report` writes it; nothing is imported here, since others only want its words.
"""
