"""The leaderboard: submissions packed, and checked without taking anyone's word."""
