"""The data service: pipelines that run in other processes."""
